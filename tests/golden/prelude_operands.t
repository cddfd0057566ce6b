;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  buffer    y : f32[4] write
  y[0] = random_u32(1)
}
;;; STDERR:
prelude_operands.kg:5:20: error: random_u32 takes 2 operands but got 1 [operand-count]
     5 |   y[0] = random_u32(1)
       |                    ^
  fix: pass 2
