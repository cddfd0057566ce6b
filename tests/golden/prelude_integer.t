;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  buffer    n : u32[4] read
  buffer    y : f32[4] write
  y[0] = relu(n[0])
}
;;; STDERR:
prelude_integer.kg:6:15: error: expected f32 but got u32 [type-mismatch]
     6 |   y[0] = relu(n[0])
       |               ^
  fix: convert with f32(...)
