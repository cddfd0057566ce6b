;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[2, 3] read_write
  x[1, 2.0] = 1.0
}
;;; STDERR:
index_type_place.kg:5:3: error: an index must be an integer, but this is f32 [index-type]
     5 |   x[1, 2.0] = 1.0
       |   ^
  fix: convert with u32(...) or i32(...)
