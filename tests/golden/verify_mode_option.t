;;; TOOL: kgrad verify {src}/examples/saxpy.kg --mode forward --directions 2
;;; EXIT: 2
;;; STDERR:
kgrad: error: --directions means nothing with --mode forward [option-mode]
  fix: leave it out, or ask for another mode
