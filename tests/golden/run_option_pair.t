;;; TOOL: kgrad run {in} --param n
;;; EXIT: 2
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; STDERR:
kgrad: error: --param takes NAME=VALUE, not n [option-pair]
  fix: as in --param x=1.5, or --param x=x.npy where it takes files
