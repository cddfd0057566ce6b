;;; TOOL: kgrad run {in}
;;; EXIT: 2
module m {
  param  n : u32 = 3
  buffer y : f32[n] write
  program p {
    workgroup 4
    param     k : u32
    buffer    y : f32[] write
    y[local_id.x % 3] = f32(k)
  }
  run p(y = y, k = n - 4) grid 1
}
;;; STDERR:
run_param_does_not_fit.kg:10:3: error: the value for param k is no u32 [run-param]
    10 |   run p(y = y, k = n - 4) grid 1
       |   ^
  fix: pass a value that fits
