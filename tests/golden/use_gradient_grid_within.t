;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  param a : f32 = 0.5
  buffer x : f32[8] read
  buffer y : f32[8] write
  buffer grad_y : f32[8] read
  buffer grad_a : f32[1] write
  use "mid.kg" as back
  run back grid 2
}
;;; FILE: mid.kg
module mid {
  param a : f32 = 0.5
  buffer x : f32[8] read
  buffer y : f32[8] write
  buffer grad_y : f32[8] read
  buffer grad_a : f32[1] write
  use gradient "loss.kg" (of y, wrt a) as inner
  run inner
}
;;; FILE: loss.kg
module loss {
  param a : f32 = 0.5
  buffer x : f32[8] read
  buffer y : f32[8] write
  program k {
    workgroup 4
    param     a : f32
    buffer    x : f32[8] read
    buffer    y : f32[8] write
    y[global_id.x] = a * a * x[global_id.x]
  }
  run k grid 1
}
;;; STDERR:
use_gradient_grid_within.kg:8:12: error: back is a gradient, and was made for the grid that its program states [use-gradient-grid]
     8 |   run back grid 2
       |            ^
  fix: leave the grid out, and state it in the file that is differentiated
