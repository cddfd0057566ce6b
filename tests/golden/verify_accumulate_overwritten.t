;;; TOOL: kgrad verify {in} --accumulate --of y
// x is overwritten, and is no cotangent: the gradient is worked out in a buffer of its own, and added to what grad_x has.
program overwritten {
  workgroup 64
  param     n : u32 = 10
  grid      invocations n
  buffer    x : f32[n] read_write
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { x[i] = x[i] * x[i] y[i] = x[i] x[i] = 1.0 }
}
;;; STDOUT:
grad_x: passed, 10 of 10 entries; worst [2]: 0.617568314, dual 0.617568353, 0.035 of what is allowed
along 4 random directions: passed; worst: 2.30797068, dual 2.30797058, 0.013 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 15.1 of the magnitude
passed
