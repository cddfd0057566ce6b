;;; TOOL: kgrad prim sofmax
;;; EXIT: 2
;;; STDERR:
kgrad: error: there is no primitive sofmax [unknown-primitive]
  fix: did you mean softmax?
