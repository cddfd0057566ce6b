;;; TOOL: kgrad verify {in} --expect-zero
;;; EXIT: 1
// None of the 256 entries that are judged is the one that flows; the directions see it.
program p {
  workgroup 1
  grid 1
  buffer x : f32[5000] read
  buffer y : f32[1] write
  y[0] = x[4321] * 2.0
}
;;; STDOUT:
grad_x: passed, 256 of 5000 entries; worst [0]: 0, dual 0, 0 of what is allowed
along 4 random directions: passed; worst: 0.262736193, dual 0.262736193, 0 of what is allowed
ran on reference
a gradient that is zero was expected
allowed: 2 x 5.96e-08 x 2.73 of the magnitude
FAILED
