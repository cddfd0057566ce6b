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
  run step(x = a, y = a[4 .. 8])
}
;;; STDERR:
bind_slice_and_whole.kg:11:3: error: buffer a is bound twice in the run of step, which writes it [bind-twice]
    11 |   run step(x = a, y = a[4 .. 8])
       |   ^
  fix: bind a buffer of its own
