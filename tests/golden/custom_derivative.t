;;; TOOL: kgrad check {in}
;;; EXIT: 1
program p {
  workgroup 1
  grid 1
  fn f(a : f32) -> f32 = a * a
  pullback f(a : f32, g : f32) -> f32 = 2 * a * g
}
;;; STDERR:
custom_derivative.kg:5:3: error: pullback: derivatives of one's own are not part of the language yet [custom-derivative]
     5 |   pullback f(a : f32, g : f32) -> f32 = 2 * a * g
       |   ^
  fix: write what can be differentiated, or use stop_gradient
