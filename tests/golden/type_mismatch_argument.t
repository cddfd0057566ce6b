;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  fn f(a : f32) -> f32 = a
  workgroup 1
  grid 1
  buffer n : u32 read_write
  n = u32(f(n))
}
;;; STDERR:
type_mismatch_argument.kg:6:13: error: expected f32 but got u32 [type-mismatch]
     6 |   n = u32(f(n))
       |             ^
  fix: convert with f32(...)
