;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  n[0] = n[1] * 0.5
}
;;; STDERR:
literal_type.kg:6:17: error: the literal 0.5 cannot be u32 [literal-type]
     6 |   n[0] = n[1] * 0.5
       |                 ^
  fix: write a literal of that type, or convert the other operand
