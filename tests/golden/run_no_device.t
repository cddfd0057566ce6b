;;; TOOL: kgrad run {in} --device abacus
;;; EXIT: 2
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; STDERR:
kgrad: error: there is no device abacus [no-device]
  fix: kgrad devices lists what there is
