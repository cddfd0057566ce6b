;;; TOOL: kgrad prim softmax --param row=3
;;; EXIT: 2
;;; STDERR:
kgrad: error: softmax has no parameter row [primitive-param]
  fix: its parameters are rows, cols, workgroup
