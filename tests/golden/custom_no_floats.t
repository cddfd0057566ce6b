;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  fn f(n : u32) -> f32 = f32(n) pullback(g) = g
}
;;; STDERR:
custom_no_floats.kg:4:33: error: a pullback of a function that takes no float, or gives none [custom-no-floats]
     4 |   fn f(n : u32) -> f32 = f32(n) pullback(g) = g
       |                                 ^
  fix: remove it: no derivative goes through this function
