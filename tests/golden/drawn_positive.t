;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  param     n : u32 = 3
  param     m : u32 = 3
  buffer    a : u32[n] read drawn positive
  buffer    y : f32 write
  y = 1.0
}
;;; STDERR:
drawn_positive.kg:6:13: error: a cannot be drawn positive [draw-form]
     6 |   buffer    a : u32[n] read drawn positive
       |             ^
  fix: drawn positive takes floats without a range, which are then between 0 and 1
