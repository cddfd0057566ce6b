;;; TOOL: kgrad prim
;;; EXIT: 2
;;; STDERR:
kgrad: error: no primitive is named [missing-primitive]
  fix: kgrad prim --list names them
