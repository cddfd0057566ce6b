;;; TOOL: kgrad verify {in}
// The gradient of z is zero, and named so; that of x is not.
program half {
  workgroup 64
  param     n : u32 = 10
  grid      invocations n
  buffer    x : f32[n] read
  buffer    z : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = 2.0 * x[i] + floor(z[i]) }
}
;;; STDOUT:
grad_x: passed, 10 of 10 entries; worst [0]: 0.786185563, dual 0.786185563, 0 of what is allowed
grad_z: zero, 10 of 10 entries; no output depends on z here
along 4 random directions: passed; worst: 2.74309706, dual 2.74309706, 0 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 14.7 of the magnitude
passed
