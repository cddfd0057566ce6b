;;; TOOL: kgrad check --run {in}
;;; EXIT: 1
module m {
  buffer t : f32[12] temp
  buffer y : f32[8] write
  program fill {
    workgroup 4
    grid      1
    buffer    a : f32[] write

    if local_id.x < len(a) { a[local_id.x] = 1.0 }
  }
  program take {
    workgroup 4
    grid      1
    buffer    a : f32[4] read
    buffer    b : f32[4] write

    b[local_id.x] = a[local_id.x]
  }
  repeat k in 0 .. 3 {
    run fill(a = t[4 * k .. 4 * k + 4 - k])
  }
  run take(a = t[0 .. 4], b = y[4 .. 8])
  run take(a = t[7 .. 11], b = y[0 .. 4])
}
;;; STDOUT:
check_run_slices.kg: 0 races, 2 reads of what was not written, 0 values out of range
;;; STDERR:
check_run_slices.kg:17:21: error: a[0] is read here by invocation 0 of workgroup 0, and was not written [uninitialised-read]
    17 |     b[local_id.x] = a[local_id.x]
       |                     ^
  fix: write it first
