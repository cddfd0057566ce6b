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
grad_x: passed, 100 of 100 entries; worst [18]: -0.299804837, dual -0.29980486, 0.023 of what is allowed
grad_w: passed, 100 of 100 entries; worst [11]: -0.561526358, dual -0.561526325, 0.017 of what is allowed
along 4 random directions: passed; worst: 1.80390982, dual 1.80391004, 0.0009 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 28.5 of the magnitude
passed
