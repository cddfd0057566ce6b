;;; TOOL: kgrad check
;;; EXIT: 2
;;; STDERR:
kgrad: error: no file given [missing-file]
  fix: kgrad check --help shows what it takes
