;;; TOOL: kgrad verify {in} --of y
// Rounded to bf16 by its bits, straight through; z, which nobody asks about, keeps no derivative.
program quantise {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  buffer    z : f32[n] write

  let i = global_id.x
  if i < n {
    let q = bitcast_f32((bitcast_u32(x[i]) + 0x8000) & 0xffff0000)
    z[i] = q
    y[i] = x[i] * (x[i] + stop_gradient(q - x[i]))
  }
}
;;; STDOUT:
grad_x: passed, 100 of 100 entries; worst [11]: -1.16123199, dual -1.16123189, 0.018 of what is allowed
along 4 random directions: passed; worst: -5.87754675, dual -5.8775465, 0.0017 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 41.7 of the magnitude
passed
