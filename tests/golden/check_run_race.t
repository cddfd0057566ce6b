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
check_run_race.kg: out of bounds: 4 loads, which gave 0, and 4 stores, which were dropped
;;; STDERR:
check_run_race.kg:10:10: error: s[7] is read here by invocation 0, and written by invocation 7 at 9:3, with nothing to order them [data-race]
    10 |   y[i] = s[7 - l]
       |          ^
  fix: put a barrier between them, or use an atomic
check_run_race.kg:9:10: warning: x[20] is read here by invocation 4 of workgroup 2, and x has 20 elements; 4 such accesses in all [out-of-bounds]
     9 |   s[l] = x[i]
       |          ^
  fix: put it under an `if`: outside, a load gives 0 and a store is dropped
check_run_race.kg:10:3: warning: y[20] is written here by invocation 4 of workgroup 2, and y has 20 elements; 4 such accesses in all [out-of-bounds]
    10 |   y[i] = s[7 - l]
       |   ^
  fix: put it under an `if`: outside, a load gives 0 and a store is dropped
