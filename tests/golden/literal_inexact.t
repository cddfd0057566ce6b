;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[0] = x[1] + 16777217
}
;;; STDERR:
literal_inexact.kg:6:17: error: the integer 16777217 has no exact value in f32 [literal-inexact]
     6 |   x[0] = x[1] + 16777217
       |                 ^
  fix: write it with a point to have it rounded
