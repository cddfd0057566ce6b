;;; TOOL: kgrad grad {in} --explain -o /dev/null
;;; TOOL: kgrad verify {in}
;;; EXIT: 1
program settle {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read in 0.5 .. 0.9
  buffer    y : f32[n] write

  let i = global_id.x
  if i < n {
    var v = x[i]
    var t = 0.0
    while t < 1000.0 {
      v = sin(v) + 0.1 * x[i]
      t += 1.0
    }
    y[i] = v
  }
}
;;; STDOUT:
the gradient's kernel: FAILED; the run failed
what a run has left that failed is no gradient, and was not judged
ran on reference
the intervals could not be computed; tolerances decide alone
allowed: 2 x 5.96e-08 x 1.1e+03 of the magnitude
FAILED
;;; STDERR:
verify_more_trips.kg:13:15: error: assertion failed: the gradient keeps fewer trips of the loop in line 12: state `limit N` behind the condition of a while, end a for at min(end, begin + N), or take the gradient with --trips N [assert-failed]
    13 |       v = sin(v) + 0.1 * x[i]
       |               ^
  fix: pass values for which it holds, or change the kernel
