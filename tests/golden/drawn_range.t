;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  param     n : u32 = 3
  param     m : u32 = 3
  buffer    a : f32[n, n] read in 0.0 .. 1.0 drawn definite
  buffer    y : f32 write
  y = 1.0
}
;;; STDERR:
drawn_range.kg:6:13: error: a cannot be drawn definite [draw-form]
     6 |   buffer    a : f32[n, n] read in 0.0 .. 1.0 drawn definite
       |             ^
  fix: drawn definite takes floats without a range, in an array whose last two extents are the same
