;;; TOOL: kgrad verify {in} --param s=4294967295
;;; EXIT: 1
;;; ABSENT: *
program p {
  workgroup 4
  grid      1
  param     n : u32 = 9
  param     s : u32 = 2
  buffer    x : f32[9] read
  buffer    y : f32[4] write
  var i = global_id.x
  var sum = 0.0
  while i < n {
    sum += x[i] * x[i]
    i += s
  }
  y[global_id.x] = sum
}
;;; STDOUT:
the gradient's kernel: FAILED; the run failed
what a run has left that failed is no gradient, and was not judged
ran on reference
the intervals could not be computed; tolerances decide alone
allowed: 2 x 5.96e-08 x 14.4 of the magnitude
FAILED
;;; STDERR:
verify_counter_round.kg:10:3: error: assertion failed: the counter of a loop passed the end of its type [assert-failed]
    10 |   while i < n {
       |   ^
  fix: pass values for which it holds, or change the kernel
