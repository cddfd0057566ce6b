;;; TOOL: kgrad grad {in} --of y --wrt x -o adjoint.kg
;;; EXIT: 1
;;; ABSENT: *
module m {
  param  n : u32 = 1
  buffer x : f32[9] read
  buffer y : f32[8] write
  program differ {
    workgroup 8
    grid      1
    buffer    a : f32[8] read
    buffer    b : f32[7] read
    buffer    y : f32[8] write

    y[local_id.x] = b[local_id.x] - a[local_id.x]
  }
  run differ(a = x[n .. n + 8], b = x[n .. n + 8])
}
;;; STDERR:
grad_slices_same.kg:14:3: error: a run binds slices of x that overlap, and its gradient is asked for [grad-slices]
    14 |   run differ(a = x[n .. n + 8], b = x[n .. n + 8])
       |   ^
  fix: let the program have one buffer for both, or copy one of the slices to a buffer of its own
