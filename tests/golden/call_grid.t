;;; TOOL: kgrad check {in}
;;; EXIT: 2
module net {
  buffer x : f32[4] read
  use "b.kg" as b
  run b grid 2
}
;;; FILE: b.kg
module b {
  buffer x : f32[4] read
  program a { workgroup 1 grid 1 buffer x : f32[4] read }
  run a
  run a
}
;;; STDERR:
call_grid.kg:4:9: error: b has not one run but several, each with a grid of its own [use-grid]
     4 |   run b grid 2
       |         ^
  fix: leave the grid out
