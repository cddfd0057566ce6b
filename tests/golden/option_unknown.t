;;; TOOL: kgrad ops --no-such
;;; EXIT: 2
;;; STDERR:
kgrad: error: unknown option --no-such [unknown-option]
  fix: kgrad ops --help lists the options
