;;; TOOL: kgrad fuzz --show --property forms --seed 4 --count 2
;;; STDOUT: *
