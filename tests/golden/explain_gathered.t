;;; TOOL: kgrad grad {in} --deterministic --explain -o /dev/null
program shared_weight {
  workgroup 64
  param     n : u32 = 70
  grid      invocations n
  buffer    w : f32[3] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = exp(w[i * i % 3]) * w[0] }
}
;;; STDOUT:
