;;; TOOL: kgrad run {in} --param n=9
;;; EXIT: 2
program p {
  workgroup 4
  grid      1
  param     n : u32 in 1 .. 9
  buffer    y : f32[n] write
  if local_id.x < n { y[local_id.x] = 1.0 }
}
;;; STDERR:
run_param_range.kg:4:13: error: param n is 9, and its declared range is 1 .. 9 [param-range]
     4 |   param     n : u32 in 1 .. 9
       |             ^
  fix: give n a value from 1 on that is less than 9
