;;; TOOL: kgrad grad {in} --of y --wrt x -o adjoint.kg
;;; EXIT: 1
;;; ABSENT: *
module m {
  buffer x : f32[4] read
  buffer t : f32[8] temp
  buffer y : f32[4] write
  program copy {
    workgroup 4
    grid      1
    buffer    a : f32[4] read
    buffer    b : f32[4] write

    b[local_id.x] = a[local_id.x]
  }
  run copy(a = x, b = t[4 .. 8])
  run copy(a = t[4 .. 8], b = y)
}
;;; STDERR:
grad_slice.kg:13:3: error: a run binds a slice of t, which lies on the path to an output, and has no adjoint yet [grad-slice]
    13 |   run copy(a = x, b = t[4 .. 8])
       |   ^
  fix: bind all of it, and pass where to begin as a param; or copy the slice to a buffer of its own
