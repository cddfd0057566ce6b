;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  param     n : u32 = 3
  param     m : u32 = 3
  buffer    a : f32 read drawn ascending
  buffer    y : f32 write
  y = 1.0
}
;;; STDERR:
drawn_scalar.kg:6:13: error: a cannot be drawn ascending [draw-form]
     6 |   buffer    a : f32 read drawn ascending
       |             ^
  fix: drawn ascending takes an array, whose rows along its last dimension are put in order
