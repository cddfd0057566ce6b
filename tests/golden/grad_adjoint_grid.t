;;; TOOL: kgrad grad {in} -o adjoint.kg
;;; EXIT: 1
;;; ABSENT: *
module m {
  buffer x : f32[16] read
  buffer y : f32[16] write
  program step adjoint back {
    workgroup 8
    grid      2
    buffer    x : f32[16] read
    buffer    y : f32[16] write

    y[global_id.x] = exp(x[global_id.x])
  }
  program back {
    workgroup 8
    grid      2
    buffer    x : f32[16] read
    buffer    grad_x : f32[16] read_write
    buffer    grad_y : f32[16] read

    grad_x[global_id.x] += grad_y[global_id.x] * exp(x[global_id.x])
  }
  run step grid 1
}
;;; STDERR:
grad_adjoint_grid.kg:21:3: error: the run states a grid of its own, and back, the adjoint that step states, goes by that of step [grad-adjoint-grid]
    21 |   run step grid 1
       |   ^
  fix: leave out one of the two grids: that of the run, or that of step
