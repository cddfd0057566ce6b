;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  n[0] = sqrt(n[1])
}
;;; STDERR:
operand_type.kg:6:10: error: sqrt does not take u32 [operand-type]
     6 |   n[0] = sqrt(n[1])
       |          ^
  fix: use an operand of type: f16, f32, f64
