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
grad_x: FAILED, 9 of 9 entries, 3 wrong; worst [2]: 0.617575586, dual -0.000470725861, 2.9e+05 of what is allowed
along 4 random directions: FAILED, 4 wrong; worst: 0.905952127, dual 0.611871626, 7.4e+04 of what is allowed
y: FAILED; the gradient's module leaves other contents than the plain one
ran on reference
the intervals could not be computed; tolerances decide alone
allowed: 2 x 5.96e-08 x 14.4 of the magnitude
FAILED
;;; STDERR:
verify_counter_round.kg:10:3: error: assertion failed: the counter of a loop passed the end of its type [assert-failed]
    10 |   while i < n {
       |   ^
  fix: pass values for which it holds, or correct what is asserted
