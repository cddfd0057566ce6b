;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer a : f32[8] read_write view(set 0, binding 0, offset 0, stride 8)
  program step {
    workgroup 4
    grid      1
    buffer    x : f32[4] read_write view(set 0, binding 0, offset 0, stride 8)

    x[local_id.x] = 1.0
  }
  run step(x = a[4 .. 8])
}
;;; STDERR:
slice_view.kg:10:3: error: a is a view, and a run cannot bind a slice of a view [slice-view]
    10 |   run step(x = a[4 .. 8])
       |   ^
  fix: bind all of it, and pass where to begin as a param
