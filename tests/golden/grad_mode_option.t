;;; TOOL: kgrad grad {src}/examples/saxpy.kg --directions 2
;;; EXIT: 2
;;; STDERR:
kgrad: error: --directions means nothing with --mode reverse [option-mode]
  fix: leave it out, or ask for another mode
