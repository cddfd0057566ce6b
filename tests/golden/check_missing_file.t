;;; TOOL: kgrad check
;;; EXIT: 2
;;; STDERR:
kgrad: error: too few files are given: 0, where check takes at least 1 [missing-file]
  fix: kgrad check --help shows what it takes
