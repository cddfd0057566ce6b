;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer a : f32[4] read_write view(set 0, binding 0, offset 4, stride 8)
  program step {
    workgroup 4
    grid      1
    buffer    x : f32[4] read_write view(set 0, binding 0, offset 0, stride 8)

    x[local_id.x] = 1.0
  }
  run step(x = a)
}
;;; STDERR:
bind_view.kg:10:3: error: x of step and a of the module, to which it is bound, are not the same view [bind-view]
    10 |   run step(x = a)
       |   ^
  fix: declare both with one offset, one stride and the same rows
