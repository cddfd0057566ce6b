;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[0] = x[1] + n[0]
}
;;; STDERR:
type_mismatch.kg:6:15: error: expected f32 but got u32 [type-mismatch]
     6 |   x[0] = x[1] + n[0]
       |               ^
  fix: convert with f32(...)
