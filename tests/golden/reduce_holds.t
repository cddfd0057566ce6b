;;; TOOL: kgrad reduce {in} --property gradient
;;; EXIT: 1
program p {
  workgroup 4
  grid      1
  buffer    x : f32[4] read
  buffer    y : f32[4] write

  y[global_id.x] = x[global_id.x]
}
;;; STDERR:
reduce_holds.kg: error: nothing fails here that gradient asks [does-not-fail]
  fix: name what fails with --property and --device, and with --in and --param what it fails with
