;;; TOOL: kgrad run {in} --out y=a.npy
;;; EXIT: 1
;;; ABSENT: *
program p {
  workgroup 1
  grid      1
  buffer    y : f32[1] write
  assert global_id.x > 0 "not the first"
  y[0] = 1.0
}
;;; STDERR:
run_failure_leaves_no_file.kg:5:3: error: assertion failed: not the first [assert-failed]
     5 |   assert global_id.x > 0 "not the first"
       |   ^
  fix: pass values for which it holds, or change the kernel
