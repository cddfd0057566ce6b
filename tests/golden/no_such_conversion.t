;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[0] = f32(bitcast_f64(x[1]))
}
;;; STDERR:
no_such_conversion.kg:6:14: error: f32 cannot be reinterpreted as f64: their sizes differ [no-such-conversion]
     6 |   x[0] = f32(bitcast_f64(x[1]))
       |              ^
  fix: convert with f64(...)
