;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  buffer    x : f32[1] read_write
  x[0] = popcount(x[0])
}
;;; STDERR:
check_operand_type.kg:5:10: error: popcount does not take f32 [operand-type]
     5 |   x[0] = popcount(x[0])
       |          ^
  fix: use an operand of type: i32, u32, i64, u64
