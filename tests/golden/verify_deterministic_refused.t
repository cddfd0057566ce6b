;;; TOOL: kgrad verify {in} --deterministic
;;; EXIT: 1
program shared_weight {
  workgroup 64
  param     n : u32 = 70
  grid      invocations n
  buffer    w : f32[1] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = exp(w[0]) }
}
;;; STDERR:
verify_deterministic_refused.kg:5:13: error: several invocations contribute to the gradient of w, which takes atomic adds [grad-not-deterministic]
     5 |   buffer    w : f32[1] read
       |             ^
  fix: leave out --deterministic, or let each invocation load elements of its own
