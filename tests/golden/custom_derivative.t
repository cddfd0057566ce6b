;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  fn f(a : f32) -> f32 = a * a
  pullback f(a : f32, g : f32) -> f32 = 2 * a * g
}
;;; STDERR:
custom_derivative.kg:5:3: error: pullback belongs behind the `fn` whose derivative it states [custom-derivative]
     5 |   pullback f(a : f32, g : f32) -> f32 = 2 * a * g
       |   ^
  fix: write it there: fn square(x : f32) -> f32 = x * x  pullback(g) = g * 2.0 * x
