;;; TOOL: kgrad grad {in} --of y --wrt x -o adjoint.kg
;;; EXIT: 1
;;; ABSENT: *
module m {
  buffer x : f32[9] read
  buffer y : f32[8] write
  program differ {
    workgroup 8
    grid      1
    buffer    a : f32[8] read
    buffer    b : f32[8] read
    buffer    y : f32[8] write

    y[local_id.x] = b[local_id.x] - a[local_id.x]
  }
  run differ(a = x[0 .. 8], b = x[1 .. 9])
}
;;; STDERR:
grad_slices.kg:13:3: error: a run binds slices of x that overlap, and its gradient is asked for [grad-slices]
    13 |   run differ(a = x[0 .. 8], b = x[1 .. 9])
       |   ^
  fix: let the program have one buffer for both, or copy one of the slices to a buffer of its own
