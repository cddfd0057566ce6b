;;; TOOL: kgrad check {in}
;;; EXIT: 2
// What step adds to keeps its cotangent, and a shadow that is read would be replaced by zeros.
module m {
  buffer x : f32[8] read_write
  program step adjoint back {
    workgroup 8
    grid      1
    buffer    x : f32[8] read_write
    x[local_id.x] += 2.0
  }
  program back {
    workgroup 8
    grid      1
    buffer    grad_x : f32[8] read
  }
  run step
}
;;; STDERR:
adjoint_read.kg:13:15: error: back, which is stated to be the adjoint of step, does not declare grad_x as it has to [adjoint-form]
    13 |     buffer    grad_x : f32[8] read
       |               ^
  fix: declare it with the extents of x, of type f32 and `read_write`, without range or view
