;;; TOOL: kgrad grad {in} -o adjoint.kg
;;; EXIT: 1
;;; ABSENT: *
module m {
  buffer x : f32[8] read
  buffer y : f32[8] write
  program step adjoint back {
    workgroup 8
    grid      1
    buffer    x : f32[8] read
    buffer    y : f32[8] write

    y[local_id.x] = exp(x[local_id.x])
  }
  program back {
    workgroup 8
    grid      1
    buffer    y : f32[8] read
    buffer    grad_y : f32[8] read_write

    grad_y[local_id.x] *= y[local_id.x]
  }
  run step
}
;;; STDERR:
grad_adjoint_shadow.kg:20:3: error: back, the stated adjoint of step, has no shadow of x, which lies on the path to an output [grad-adjoint-shadow]
    20 |   run step
       |   ^
  fix: declare grad_x there, f32 with the extents of x, `read_write`
