;;; TOOL: kgrad run {in}
;;; EXIT: 2
module m {
  param  n : u32 = 3
  buffer y : f32[n] write
  program p {
    workgroup 4
    buffer    y : f32[4] write
    y[local_id.x] = 1.0
  }
  run p(y = y) grid 1
}
;;; STDERR:
run_bound_too_short.kg:9:3: error: buffer y has 4 elements, but y, bound to it here, has 3 [bound-too-short]
     9 |   run p(y = y) grid 1
       |   ^
  fix: bind a longer buffer, or pass other params
