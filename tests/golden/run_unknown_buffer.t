;;; TOOL: kgrad run {in} --out z=z.npy
;;; EXIT: 2
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; STDERR:
kgrad: error: there is no buffer z [unknown-buffer]
  fix: buffers: y
