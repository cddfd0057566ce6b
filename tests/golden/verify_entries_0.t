;;; TOOL: kgrad verify {src}/examples/saxpy.kg --entries 0
;;; EXIT: 2
;;; STDERR:
kgrad: error: --entries cannot be 0 [option-range]
  fix: give a number from 1 to 100000000
