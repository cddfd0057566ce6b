;;; TOOL: kgrad check {in} --param n=5
;;; EXIT: 2
program one {
  workgroup 1
  grid      1
  param     n : u32 = 3
  buffer    y : u32[1] write
  y[0] = n
}
;;; STDERR:
kgrad: error: --param means nothing without --run [option-alone]
  fix: leave it out, or add --run
