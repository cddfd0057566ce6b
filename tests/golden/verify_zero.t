;;; TOOL: kgrad verify {in} --expect-zero
program cut {
  workgroup 64
  param     n : u32 = 10
  grid      invocations n
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = stop_gradient(x[i]) }
}
;;; STDOUT:
grad_x: zero, 10 of 10 entries; no output depends on x here
along 4 random directions: zero; worst: 0, dual 0, 0 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 13.6 of the magnitude
zero
