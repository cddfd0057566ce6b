;;; TOOL: kgrad run {in} --device llvmpipe --out y=first.npy
;;; TOOL: kgrad run {in} --out y=second.npy
;;; TOOL: cmp first.npy second.npy
;;; DEVICE:
// Exact operations: both devices give the same bits.
program p {
  workgroup 64
  grid      invocations n
  param     n : u32 = 1000
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = x[i] * 0.3 + x[n - 1 - i] }
}
