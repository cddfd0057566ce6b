;;; TOOL: kgrad verify {in}
// The host gives these their length; where it gives none, they get 100.
program open {
  workgroup 64
  grid      invocations len(x)
  buffer    x : f32[] read
  buffer    w : f32[] read
  buffer    y : f32[len(x)] write
  let i = global_id.x
  if i < len(x) { y[i] = sin(x[i]) * w[i] }
}
;;; STDOUT:
grad_x: passed, 100 of 100 entries; worst [18]: -0.186668426, dual -0.186668449, 0.037 of what is allowed
grad_w: passed, 100 of 100 entries; worst [54]: -0.262005806, dual -0.262005821, 0.016 of what is allowed
along 4 random directions: passed; worst: 2.57828666, dual 2.57828675, 0.0013 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 28.5 of the magnitude
passed
