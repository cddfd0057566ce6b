;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[0] = max(x[1])
}
;;; STDERR:
operand_count.kg:6:13: error: max takes 2 operands but got 1 [operand-count]
     6 |   x[0] = max(x[1])
       |             ^
  fix: pass 2
