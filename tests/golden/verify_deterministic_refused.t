;;; TOOL: kgrad verify {in} --deterministic
;;; EXIT: 1
program shared_weight {
  workgroup 64
  param     n : u32 = 70
  grid      invocations n
  buffer    w : f32[n] read_write
  let i = global_id.x
  let t = w[i / 2]
  barrier
  if i < n { w[i] = exp(t) }
}
;;; STDERR:
