;;; TOOL: kgrad verify {src}/examples/saxpy.kg --directions 17
;;; EXIT: 2
;;; STDERR:
kgrad: error: --directions cannot be 17 [option-range]
  fix: give a number from 1 to 16
