;;; TOOL: kgrad grad {src}/examples/saxpy.kg --tape-limit 0
;;; EXIT: 2
;;; ABSENT: *
;;; STDERR:
kgrad: error: --tape-limit cannot be 0 [option-range]
  fix: give a number from 1 to 18446744073709551615
