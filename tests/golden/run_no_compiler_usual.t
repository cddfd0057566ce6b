;;; TOOL: sh -c 'CC=none "$KGRAD" run {in} --time | sed "s/[0-9.]* ms/T ms/"'
// Without a compiler the reference is the usual device: software that plays a GPU is not taken unasked.
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; STDOUT:
y : f32[10] = 0 0.5 1 1.5 2 2.5 3 3.5 ...
T ms on reference
