;;; TOOL: kgrad opps
;;; EXIT: 2
;;; STDERR:
kgrad: error: there is no command opps [unknown-command]
  fix: did you mean kgrad ops?
