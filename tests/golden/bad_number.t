;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[0] = 1. + 2
}
;;; STDERR:
bad_number.kg:6:10: error: 1. is no number [bad-number]
     6 |   x[0] = 1. + 2
       |          ^
  fix: write digits on both sides of a point, and no letters behind a number
