;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[2, 3, 4, 5] read_write
  var t : f32[1, 2, 3, 4, 5]
}
;;; STDERR:
too_many_dims.kg:5:25: error: an array has at most 4 dimensions [too-many-dims]
     5 |   var t : f32[1, 2, 3, 4, 5]
       |                         ^
  fix: join two of them: an extent of a * b, and i * b + j where it is indexed
