;;; TOOL: kgrad verify {in} --seed 1
;;; EXIT: 1
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
    buffer    x : f32[8] read
    buffer    grad_x : f32[8] read_write
    buffer    grad_y : f32[8] read_write

    grad_x[local_id.x] += 1.01 * exp(x[local_id.x]) * grad_y[local_id.x]
    grad_y[local_id.x] = 0.0
  }
  run step
}
;;; STDOUT: *
