;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  if n[0] { x[0] = 1 }
}
;;; STDERR:
type_mismatch_condition.kg:6:3: error: expected bool but got u32 [type-mismatch]
     6 |   if n[0] { x[0] = 1 }
       |   ^
  fix: convert with bool(...)
