;;; TOOL: kgrad check --run {in}
;;; EXIT: 1
program p {
  workgroup 4
  grid      1
  buffer    y : f32[4] write
  var best : f32
  if local_id.x > 1 { best = 2.0 }
  y[local_id.x] = best
}
;;; STDOUT:
check_run_uninitialised.kg: 0 races, 2 reads of what was not written, 0 values out of range
;;; STDERR:
check_run_uninitialised.kg:7:19: error: best is read here by invocation 0 of workgroup 0, and was not written [uninitialised-read]
     7 |   y[local_id.x] = best
       |                   ^
  fix: write it first
