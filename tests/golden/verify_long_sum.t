;;; TOOL: kgrad verify {in}
// Like terms round the same way each time, so the sum drifts further than errors that go up and down; in f64 it does not.
program drift {
  workgroup 1
  grid      1
  param     n : u32 = 70000
  buffer    w : f32[1] read
  buffer    y : f32[1] write
  var sum = 0.0
  for i in 0 .. n { sum = sum + w[0] }
  y[0] = sum
}
;;; STDOUT:
grad_w: passed, 1 of 1 entries; worst [0]: 27511.0098, dual 27516.4947, 2.8 of what is allowed, in f64 27516.4947
along 4 random directions: passed; worst: -23388.7813, dual -23393.4444, 2.8 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 593 of the magnitude
passed
