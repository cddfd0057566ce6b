;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  fn f(x : f32) -> f32 { let a : real = x return a }
  workgroup 1
  grid      1
  buffer    y : f32[4] write
  y[0] = f(1)
}
;;; STDERR:
function_of_no_real.kg:2:34: error: expected a type but found 'real' [syntax]
     2 |   fn f(x : f32) -> f32 { let a : real = x return a }
       |                                  ^
  fix: doc/language.md has the grammar
