;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer a : f32[12] read_write
  program step {
    workgroup 4
    grid      1
    buffer    x : f32[4] read
    buffer    y : f32[4] write

    y[local_id.x] = x[local_id.x]
  }
  run step(x = a[0 .. 4], y = a[4 .. 8])
  run step(x = a[1 .. 5], y = a[4 .. 8])
}
;;; STDERR:
bind_overlap.kg:12:3: error: the run of step binds a[1 .. 5] and a[4 .. 8], and may write one of them [bind-overlap]
    12 |   run step(x = a[1 .. 5], y = a[4 .. 8])
       |   ^
  fix: let the slices have no element in common, or copy one into another buffer
