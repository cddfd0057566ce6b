;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[2147483647, 0] read_write
  buffer y : f32[2147483648, 0] read_write
}
;;; STDERR:
extent_too_large.kg:5:10: error: dimension 0 of y is 2147483648, and at most 2147483647 is possible [extent-too-large]
     5 |   buffer y : f32[2147483648, 0] read_write
       |          ^
  fix: make it smaller, or declare y as a flat array
