;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  fn f(a0 : f32, a1 : f32, a2 : f32, a3 : f32, a4 : f32, a5 : f32, a6 : f32, a7 : f32, a8 : f32, a9 : f32, a10 : f32, a11 : f32, a12 : f32, a13 : f32, a14 : f32, a15 : f32, a16 : f32) -> f32 = a0
}
;;; STDERR:
function_parameters.kg:4:174: error: the number of parameters exceeds the limit of 16 [too-large]
     4 | f32, a11 : f32, a12 : f32, a13 : f32, a14 : f32, a15 : f32, a16 : f32) -> f32 = a0
       |                                                             ^
  fix: keep the number of parameters within 16: split what needs more
