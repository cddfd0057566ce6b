;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer a : f32[12] read_write
  program step {
    workgroup 4
    grid      1
    buffer    x : f32[4] read_write

    x[local_id.x] = 2.0
  }
  repeat k in 0 .. 3 {
    run step(x = a[4 * k .. 4 * k + 4])
  }
  run step(x = a[k .. k + 4])
}
;;; STDERR:
slice_index_outside.kg:13:18: error: nothing here is named k [unknown-name]
    13 |   run step(x = a[k .. k + 4])
       |                  ^
  fix: declare it first
