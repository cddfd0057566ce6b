;;; TOOL: kgrad ops nosuch
;;; EXIT: 1
;;; STDERR:
kgrad: error: no operation and no function has nosuch in its name [no-operation]
  fix: kgrad ops lists them all
