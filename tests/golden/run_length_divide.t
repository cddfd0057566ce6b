;;; TOOL: kgrad run {in} --param n=0
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  param     n : u32
  buffer    y : f32[10 / n] write
  y[0] = 1.0
}
;;; STDERR:
run_length_divide.kg:5:13: error: a length, grid or limit divides by zero [length-divide]
     5 |   buffer    y : f32[10 / n] write
       |             ^
  fix: give the divisor a value other than 0
