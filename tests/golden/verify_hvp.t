;;; TOOL: kgrad verify {in} --mode hvp --of z --of y --wrt x --wrt a
program wave {
  workgroup 64
  param     n : u32 = 10
  param     a : f32 = 1.5
  grid      invocations n
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  buffer    z : f32[n] read_write
  let i = global_id.x
  if i < n {
    if i != 3 { y[i] = sin(a * x[i]) }
    z[i] += x[i] * x[i]
  }
}
;;; STDOUT:
tan_grad_x: passed, 10 of 10 entries; worst [0]: 0.256591558, dual 0.256591531, 0.012 of what is allowed
tan_grad_a: passed, 1 of 1 entries; worst [0]: -0.653163433, dual -0.653163407, 0.00095 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 69.7 of the magnitude
passed
