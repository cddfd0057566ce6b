;;; TOOL: kgrad run {in} --in y=y.npy
;;; EXIT: 2
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; STDERR:
kgrad: error: buffer y is `write` and takes no array [not-an-input]
  fix: leave out --in y=...
