;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  buffer    x : f32[1] read_write
  x[0] = sin(x[0], x[0])
}
;;; STDERR:
check_operand_count.kg:5:13: error: sin takes 1 operands but got 2 [operand-count]
     5 |   x[0] = sin(x[0], x[0])
       |             ^
  fix: pass 1
