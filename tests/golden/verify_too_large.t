;;; TOOL: kgrad verify {src}/examples/saxpy.kg --param n=4000000000
;;; EXIT: 2
;;; STDERR:
kgrad: error: buffer x has 4000000000 elements here, and all buffers together may have 100000000 [too-many-elements]
  fix: give a smaller size, as in --param n=1000
