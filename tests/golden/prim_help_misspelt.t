;;; TOOL: kgrad prim --help sofmax
;;; EXIT: 2
;;; STDERR:
kgrad: error: there is no help on sofmax [no-topic]
  fix: kgrad help lists what there is, and kgrad prim --list the primitives
