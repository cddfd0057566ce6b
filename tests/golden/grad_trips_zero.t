;;; TOOL: kgrad grad {src}/examples/saxpy.kg --trips 0
;;; EXIT: 2
;;; ABSENT: *
;;; STDERR:
kgrad: error: --trips cannot be 0 [option-range]
  fix: give a number from 1 to 1073741824
