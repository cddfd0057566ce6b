;;; TOOL: kgrad check {in}
;;; EXIT: 2
use "a.kg"
use "b.kg"
program p { workgroup 1 grid 1 }
;;; FILE: a.kg
fn f(x : f32) -> f32 = x
;;; FILE: b.kg
fn f(x : f32) -> f32 = -x
;;; STDERR:
use_name_in_use.kg:2:5: error: f already stands for what line 1 declares [name-in-use]
     2 | use "b.kg"
       |     ^
  fix: choose another name: names are not shadowed
