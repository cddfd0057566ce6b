;;; TOOL: kgrad check {in}
;;; EXIT: 2
fn f(t : f32) -> f32 = t * t
program p { workgroup 1 grid 1 buffer y : f32[1] write y[0] = f(2.0) }
;;; STDERR:
function_in_front.kg:1:1: error: expected 'program' or 'module', inside of which functions stand (a file of functions alone is for `use`), but found 'fn' [syntax]
     1 | fn f(t : f32) -> f32 = t * t
       | ^
  fix: doc/language.md has the grammar
