;;; TOOL: kgrad verify {in} --device vulkan --math default
program p {
  workgroup 4
  grid invocations 64
  buffer x : f32[64] read in -1.0 .. 1.0
  buffer y : f32[64] write
  y[global_id.x] = pow(0.1, x[global_id.x] * 20.0)
}
;;; DEVICE:
;;; STDOUT: *
