;;; TOOL: kgrad verify {in}
;;; EXIT: 1
// A pullback that is not the pushforward's: the gradient is held to the tangent that is stated.
program p {
  workgroup 4
  grid      invocations 8
  buffer    x : f32[8] read in 1 .. 4
  buffer    y : f32[8] write
  fn f(a : f32) -> f32 = a * a  pullback(g) = g * 3.0 * a  pushforward(t) = t * 2.0 * a

  y[global_id.x] = f(x[global_id.x])
}
;;; STDOUT:
grad_x: FAILED, 8 of 8 entries, 8 wrong; worst [5]: 7.0576582, dual 4.70510532, 4.9e+05 of what is allowed, in [7.05765724, 7.0576582]
along 4 random directions: FAILED, 4 wrong; worst: 28.222438, dual 18.8149585, 4.9e+05 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 8.48 of the magnitude
FAILED
