;;; TOOL: kgrad verify {in} --deterministic
program own {
  workgroup 64
  param     n : u32 = 70
  grid      invocations n
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = exp(x[i]) * x[i] }
}
;;; STDOUT:
grad_x: passed, 70 of 70 entries; worst [30]: -0.595713735, dual -0.595713786, 0.028 of what is allowed
along 4 random directions: passed; worst: -2.46338496, dual -2.46338439, 0.0043 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 25.6 of the magnitude
passed
