;;; TOOL: kgrad grad {in} -o adjoint.kg
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
  run step
  run step
}
;;; STDERR:
grad_adjoint_overwritten.kg:18:3: error: back, a stated adjoint, loads x when all runs are done, and x, which the run binds there, is overwritten by a later run or round [grad-adjoint-overwritten]
    18 |   run step
       |   ^
  fix: copy x to a buffer that no later run writes, and bind that, or work x out again in back
