;;; TOOL: kgrad check --run {in}
;;; EXIT: 1
program reverse {
  workgroup 8
  grid      invocations 20
  buffer    x : f32[20] read
  buffer    y : f32[20] write
  shared    s : f32[8]
  let i = global_id.x
  let l = local_id.x
  s[l] = x[i]
  y[i] = s[7 - l]
}
;;; STDOUT:
check_run_race.kg: 24 races, 0 reads of what was not written, 0 values out of range
check_run_race.kg: out of bounds: 4 loads and 4 stores, the first at 9:10
;;; STDERR:
check_run_race.kg:10:10: error: s[7] is read here by invocation 0, and written by invocation 7 at 9:3, with nothing to order them [data-race]
    10 |   y[i] = s[7 - l]
       |          ^
  fix: put a barrier between them, or use an atomic
