;;; TOOL: kgrad grad {src}/examples/saxpy.kg --primal primal.kg
;;; EXIT: 2
;;; ABSENT: *
;;; STDERR:
kgrad: error: --primal means nothing with --mode reverse [option-mode]
  fix: leave it out, or ask for another mode
