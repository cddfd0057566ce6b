;;; TOOL: kgrad ops a b
;;; EXIT: 2
;;; STDERR:
kgrad: error: unexpected argument b [extra-argument]
  fix: kgrad ops --help shows what it takes
