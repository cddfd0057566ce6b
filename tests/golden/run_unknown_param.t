;;; TOOL: kgrad run {in} --param m=3
;;; EXIT: 2
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; STDERR:
kgrad: error: there is no param m [unknown-param]
  fix: params: n
