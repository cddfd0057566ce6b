;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  param scale : f32 = 2.0
  fn f(a : f32) -> f32 = a * scale
}
;;; STDERR:
function_sees_parameters.kg:5:30: error: a function computes from its parameters alone [not-in-function]
     5 |   fn f(a : f32) -> f32 = a * scale
       |                              ^
  fix: pass it as a parameter
