;;; TOOL: kgrad verify {in} --entries 2
program p {
  workgroup 4
  grid      invocations 1000
  buffer    x : f32[1000] read in -4 .. 4
  buffer    y : f32[1000] write
  fn half(a : f32) -> f32 = 0.5 * a * a                  pullback(g) = g * a
  fn nearly(a : f32) -> f32 = a * a                      pullback(g) = g * 2.01 * a  
  fn seldom(a : f32) -> f32 = a * a                      pullback(g) = g * select(a > 3.97, 1.0, 2.0) * a

  let i = global_id.x
  if i < 1000 { y[i] = half(x[i]) + nearly(x[i]) + seldom(x[i]) }
}
;;; STDOUT:
grad_x: passed, 2 of 1000 entries; worst [0]: -1.48310447, dual -1.48310439, 0.003 of what is allowed
along 4 random directions: passed; worst: -141.299037, dual -141.299031, 0.00013 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 149 of the magnitude
passed
;;; STDERR:
stated_derivative_nearly.kg:11:37: warning: the derivative that is stated here is not the function's own, which gives -209.048 along a random direction where this gives -209.456 [stated-derivative]
    11 |   if i < 1000 { y[i] = half(x[i]) + nearly(x[i]) + seldom(x[i]) }
       |                                     ^
  fix: correct the formula, unless that is meant, as of a straight-through estimator
stated_derivative_nearly.kg:11:52: warning: the derivative that is stated here is not the function's own, which gives -204.584 along a random direction where this gives -209.456 [stated-derivative]
    11 |   if i < 1000 { y[i] = half(x[i]) + nearly(x[i]) + seldom(x[i]) }
       |                                                    ^
  fix: correct the formula, unless that is meant, as of a straight-through estimator
