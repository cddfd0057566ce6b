;;; TOOL: kgrad verify {in} --wrt s
// Both add to one shadow.
module m {
  param s : f32 = 2.0
  buffer x : f32[4] read
  buffer y : f32[4] write
  program p {
    workgroup 4
    grid 1
    param a : f32
    param b : f32
    buffer x : f32[4] read
    buffer y : f32[4] write
    y[local_id.x] = x[local_id.x] * a + x[local_id.x] * b * b
  }
  run p(a = s, b = s)
}
;;; STDOUT:
grad_s: passed, 1 of 1 entries; worst [0]: -1.95303726, dual -1.95303711, 0.04 of what is allowed
along 4 random directions: passed; worst: -1.8692561, dual -1.86925596, 0.04 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 6.29 of the magnitude
passed
