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
;;; STDERR:
grad_w: gradient of w; contributions are gathered in order
grad_y: cotangent of y; it is only read
run of shared_weight, line 1: forward and reverse in one program; active: w, y
  shadow of w: gathered in order: another invocation may load the same element in line 8
list_shared_weight: a list, f32[2 * ((n + 63) / 64 * 64)], 1024 bytes
list_shared_weight_1: a list, u32[2 * ((n + 63) / 64 * 64)], 1024 bytes
tapes: 2048 bytes
