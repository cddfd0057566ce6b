;;; TOOL: kgrad verify {in} --of y --wrt x
// One slice, bound twice: the two are one.
module m {
  param  n : u32 = 1
  buffer x : f32[9] read
  buffer y : f32[8] write
  program differ {
    workgroup 8
    grid      1
    buffer    a : f32[8] read
    buffer    b : f32[8] read
    buffer    y : f32[8] write

    y[local_id.x] = b[local_id.x] * a[local_id.x] - a[7 - local_id.x]
  }
  run differ(a = x[n .. n + 8], b = x[n .. n + 8])
}
;;; STDOUT:
grad_x: passed, 9 of 9 entries; worst [7]: -0.982774556, dual -0.982774512, 0.028 of what is allowed
along 4 random directions: passed; worst: -0.637690095, dual -0.637690026, 0.011 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 8.48 of the magnitude
passed
