;;; TOOL: kgrad fuzz --property round-trip --count 8 --jobs 1 --out hunt
;;; TOOL: kgrad fuzz --property passes --count 8 --jobs 1 --out hunt
;;; EXIT: 2
;;; STDERR:
hunt: error: the hunt in this folder asks something else [other-hunt]
  fix: ask as before, or name another folder with --out
