;;; TOOL: kgrad check {in}
;;; EXIT: 2
program one {
  workgroup 1
  grid      1
  buffer    x : f32[1] read_write
  let i = global_id.x
  x[i] = x[i] + i
}
;;; STDERR:
check_caret.kg:6:15: error: expected f32 but got u32 [type-mismatch]
     6 |   x[i] = x[i] + i
       |               ^
  fix: convert with f32(...)
