;;; TOOL: kgrad run {in} --out y=y.npy
;;; EXIT: 1
;;; ABSENT: *
program p {
  workgroup 4
  grid      1
  buffer    y : f32[4] write
  let i = global_id.x
  y[i] = 1.0
  assert i < 3 "too far"
}
;;; STDERR:
run_assert_failed.kg:7:3: error: assertion failed: too far [assert-failed]
     7 |   assert i < 3 "too far"
       |   ^
  fix: pass values for which it holds, or change the kernel
