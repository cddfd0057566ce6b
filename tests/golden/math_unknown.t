;;; TOOL: kgrad run {in} --math quick
;;; EXIT: 2
program p { workgroup 1 grid 1 buffer y : f32[1] read_write y[0] = exp(y[0]) }
;;; STDERR:
kgrad: error: --math cannot be quick [option-choice]
  fix: one of: exact|default|fast
