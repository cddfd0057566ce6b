;;; TOOL: kgrad prim matmul --param m=1 --param m=2
;;; EXIT: 2
;;; STDERR:
kgrad: error: matmul is given m more than once [primitive-param-twice]
  fix: state it once
