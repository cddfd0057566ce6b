;;; TOOL: kgrad verify {in} --accumulate
// What the gradients are added to is random, and part of what is judged. Lengths that the host gives are 100 here.
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
grad_x: passed, 100 of 100 entries; worst [21]: -0.0660206676, dual -0.0660206755, 0.035 of what is allowed
grad_w: passed, 100 of 100 entries; worst [54]: -0.262012064, dual -0.262012084, 0.022 of what is allowed
along 4 random directions: passed; worst: -10.1890236, dual -10.1890237, 0.00056 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 28.5 of the magnitude
passed
