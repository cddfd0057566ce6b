;;; TOOL: kgrad verify {in}
// The derivative is 1e-60, which f32 does not hold.
program tiny {
  workgroup 8
  grid      1
  buffer    x : f32[8] read
  buffer    y : f32[8] write
  y[global_id.x] = x[global_id.x] * 1e-30 * 1e-30
}
;;; STDOUT:
grad_x: zero, 8 of 8 entries; the outputs depend on x by less than these types hold
along 4 random directions: zero; worst: 0, dual 2.98985785e-60, 5.7e-24 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 6.66 of the magnitude
zero
