;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[x[0]] = 1
}
;;; STDERR:
index_type.kg:6:3: error: an index must be an integer, but this is f32 [index-type]
     6 |   x[x[0]] = 1
       |   ^
  fix: convert with u32(...) or i32(...)
