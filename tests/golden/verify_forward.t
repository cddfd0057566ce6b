;;; TOOL: kgrad verify {in} --mode forward --wrt x --wrt a
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
tan_y: passed, 9 of 10 entries; worst [1]: -0.0875314102, dual -0.0875314234, 0.035 of what is allowed
tan_z: passed, 10 of 10 entries; worst [8]: 1.80411637, dual 1.80411631, 0.016 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 16.6 of the magnitude
passed
