;;; TOOL: kgrad shwo
;;; EXIT: 2
;;; STDERR:
kgrad: error: there is no command shwo [unknown-command]
  fix: did you mean kgrad show?
