;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  buffer    x : f32[1] read_write
  x[0] = f32(bitcast_u64(x[0]))
}
;;; STDERR:
check_no_such_conversion.kg:5:14: error: f32 cannot be reinterpreted as u64: their sizes differ [no-such-conversion]
     5 |   x[0] = f32(bitcast_u64(x[0]))
       |              ^
  fix: convert with u64(...)
