;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  fn f(a : f32, b : f32) -> f32 = a * b pullback(g) = g * b
}
;;; STDERR:
custom_count.kg:4:55: error: a cotangent for each float parameter: 1 here in place of 2 [custom-count]
     4 |   fn f(a : f32, b : f32) -> f32 = a * b pullback(g) = g * b
       |                                                       ^
  fix: write 2 of them; integers and bools have none
