;;; TOOL: kgrad grad {in} -o a.spv
;;; EXIT: 1
;;; ABSENT: *
// The gradient exists; the sine of f64 does not on devices.
program p {
  workgroup 1
  grid      1
  buffer    x : f64[1] read
  buffer    y : f64[1] write
  y[0] = sin(x[0])
}
;;; STDERR:
grad_refused_leaves_no_file.kg:7:10: error: sin of f64 does not exist on devices [no-f64-function]
     7 |   y[0] = sin(x[0])
       |          ^
  fix: compute it in f32: f64(sin(f32(x)))
