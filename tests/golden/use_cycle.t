;;; TOOL: kgrad check {in}
;;; EXIT: 2
use "a.kg"
program p { workgroup 1 grid 1 }
;;; FILE: a.kg
use "lib/b.kg"
fn f(x : f32) -> f32 = x
;;; FILE: lib/b.kg
use "./../a.kg"
;;; STDERR:
lib/b.kg:1:5: error: a.kg is being read already: it comes to use itself [use-cycle]
     1 | use "./../a.kg"
       |     ^
  fix: move what both files need into a third one
