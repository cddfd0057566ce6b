;;; TOOL: kgrad check {in}
;;; EXIT: 2
use "a.kg"
use "b.kg"
program p { workgroup 1 grid 1 }
;;; FILE: a.kg
fn curve(x : f32) -> f32 = x
;;; FILE: b.kg
fn f(x : f32) -> f32 = curve(x)
;;; STDERR:
b.kg:1:24: error: nothing here is named curve [unknown-name]
     1 | fn f(x : f32) -> f32 = curve(x)
       |                        ^
  fix: declare it first
