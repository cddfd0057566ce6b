;;; TOOL: sh -c '"$KGRAD" run {in} --time --out y=y.npy | sed "s/[0-9.]* ms/T ms/"'
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; STDOUT:
T ms on cpu
