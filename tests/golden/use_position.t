;;; TOOL: kgrad check {in}
;;; EXIT: 2
use "lib/waves.kg"
program p { workgroup 1 grid 1 }
;;; FILE: lib/waves.kg

fn wave(x : f32) -> f32 = sin(y)
;;; STDERR:
lib/waves.kg:2:31: error: nothing here is named y [unknown-name]
     2 | fn wave(x : f32) -> f32 = sin(y)
       |                               ^
  fix: declare it first
