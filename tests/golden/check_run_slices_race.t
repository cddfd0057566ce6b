;;; TOOL: kgrad check --run {in}
;;; EXIT: 1
module m {
  buffer t : f32[12] read_write
  program meet {
    workgroup 4
    grid      1
    buffer    a : f32[4] read_write
    buffer    b : f32[4] read

    a[local_id.x] = b[local_id.x]
    a[3 - local_id.x] = 2.0
  }
  run meet(a = t[4 .. 8], b = t[0 .. 4])
}
;;; STDOUT:
check_run_slices_race.kg: 4 races, 0 reads of what was not written, 0 values out of range
;;; STDERR:
check_run_slices_race.kg:10:5: error: a[3] is written here by invocation 0, and written by invocation 3 at 9:5, with nothing to order them [data-race]
    10 |     a[3 - local_id.x] = 2.0
       |     ^
  fix: put a barrier between them, or use an atomic
