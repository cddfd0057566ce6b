;;; TOOL: kgrad verify {in}
program p {
  workgroup 4
  grid      invocations 8
  buffer    x : f32[8] read in -4 .. 4
  buffer    y : f32[8] write
  fn own(a : f32) -> f32 = a * a  pullback(g) = g * 2.0 * a
  fn through(a : f32) -> f32 = round(a)  pullback(g) = g

  let v = x[global_id.x]
  y[global_id.x] = own(v) + through(v)
}
;;; STDOUT:
grad_x: passed, 8 of 8 entries; worst [6]: -6.91189146, dual -6.91189117, 0.036 of what is allowed
along 4 random directions: passed; worst: 6.08384047, dual 6.08384009, 0.027 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 9.94 of the magnitude
passed
;;; STDERR:
stated_derivative.kg:10:29: warning: the derivative that is stated here is not the function's own, which gives 8.55975 along a random direction where this gives 10.503 [stated-derivative]
    10 |   y[global_id.x] = own(v) + through(v)
       |                             ^
  fix: correct the formula, unless that is meant, as of a straight-through estimator
