;;; TOOL: kgrad check {in}
;;; EXIT: 2
use "other.kg"
program p { workgroup 1 grid 1 }
;;; FILE: other.kg
fn f(x : f32) -> f32 = x
program q { workgroup 1 grid 1 }
;;; STDERR:
other.kg:2:1: error: a file that is used holds `use` and `fn` alone [use-no-functions]
     2 | program q { workgroup 1 grid 1 }
       | ^
  fix: move its functions into a file of their own, and use that
