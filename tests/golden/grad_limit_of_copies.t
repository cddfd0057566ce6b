;;; TOOL: kgrad grad {in} -o adjoint.kg --tape-limit 100
;;; EXIT: 1
;;; ABSENT: *
module m {
  buffer x : f32[8] read_write
  program step adjoint back {
    workgroup 8
    grid      1
    buffer    x : f32[8] read_write

    x[local_id.x] = exp(x[local_id.x])
  }
  program back {
    workgroup 8
    grid      1
    buffer    x : f32[8] read
    buffer    grad_x : f32[8] read_write

    grad_x[local_id.x] *= x[local_id.x]
  }
  repeat k in 0 .. 5 { run step }
}
;;; STDERR:
grad_limit_of_copies.kg:6:15: error: tapes of the gradient take 160 bytes, and the limit is 100 bytes; the largest is that of step, with 160 bytes [grad-tape-limit]
     6 |     buffer    x : f32[8] read_write
       |               ^
  fix: allow more, give params defaults that keep it small, or cut the path with stop_gradient(...)
