;;; TOOL: kgrad check {in}
;;; EXIT: 2
module net {
  buffer x : f32[8] read
  use "b.kg" as b
  run b
}
;;; FILE: b.kg
module b {
  buffer x : f32[8] read
  buffer t : f32[8] temp view(set 0, binding 0, offset 0, stride 4)
  program a {
    workgroup 1
    grid 1
    buffer x : f32[8] read
    buffer t : f32[8] write view(set 0, binding 0, offset 0, stride 4)
    t[0] = x[0]
  }
  run a
}
;;; STDERR:
call_view.kg:4:3: error: b has a temporary, t, that is a view [use-view]
     4 |   run b
       |   ^
  fix: let it be no view, or write the runs of b into this module
