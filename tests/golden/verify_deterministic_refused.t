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
verify_deterministic_refused.kg:5:13: error: several invocations contribute to the gradient of w, which takes atomic adds [grad-not-deterministic]
     5 |   buffer    w : f32[n] read_write
       |             ^
  fix: leave out --deterministic, or let each invocation load elements of its own
