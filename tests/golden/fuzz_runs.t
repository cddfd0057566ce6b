;;; TOOL: kgrad fuzz --property round-trip --property passes --count 40 --jobs 2
;;; STDOUT: *
