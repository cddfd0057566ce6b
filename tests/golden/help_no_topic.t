;;; TOOL: kgrad help nothing
;;; EXIT: 2
;;; STDERR:
kgrad: error: there is no help on nothing [no-topic]
  fix: kgrad help lists what there is, and kgrad prim --list the primitives
