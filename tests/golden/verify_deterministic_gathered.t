;;; TOOL: kgrad verify {in} --deterministic --device reference --device vulkan
;;; DEVICE:
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
on reference:
grad_w: passed, 3 of 3 entries; worst [0]: 2.42925119, dual 2.42925078, 0.004 of what is allowed
along 4 random directions: passed; worst: -2.04229948, dual -2.04229918, 0.0035 of what is allowed
passed
on vulkan:
grad_w: passed, 3 of 3 entries; worst [0]: 2.42925119, dual 2.42925078, 0.004 of what is allowed
along 4 random directions: passed; worst: -2.04229948, dual -2.04229918, 0.0035 of what is allowed
passed
ran on reference, vulkan
allowed: 2 x 5.96e-08 x 28.3 of the magnitude
passed
