;;; TOOL: kgrad prim matmul --param m=many
;;; EXIT: 2
;;; STDERR:
kgrad: error: param m is of type number, and many is no value of it [param-value]
  fix: give a number
