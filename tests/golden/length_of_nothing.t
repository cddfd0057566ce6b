;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 64
  grid      1
  param     n : u32
  buffer    x : f32[n / 0] read_write
  buffer    y : f32[2 - 3] read_write
}
;;; STDERR:
length_of_nothing.kg:5:13: error: a length, grid or limit divides by zero [length-divide]
     5 |   buffer    x : f32[n / 0] read_write
       |             ^
  fix: give the divisor a value other than 0
length_of_nothing.kg:6:13: error: y evaluates to -1, which is negative [length-negative]
     6 |   buffer    y : f32[2 - 3] read_write
       |             ^
  fix: change it, or pass params, so that it is at least 0
