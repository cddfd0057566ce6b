;;; TOOL: kgrad grad {in} --wrt s -o adjoint.kg
;;; EXIT: 1
;;; ABSENT: *
module m {
  param s : f32 = 2.0
  buffer x : f32[4] read
  buffer y : f32[4] write
  program p {
    workgroup 4
    grid 1
    param a : f32
    param b : f32
    buffer x : f32[4] read
    buffer y : f32[4] write
    y[local_id.x] = x[local_id.x] * a + x[local_id.x] * b * b
  }
  run p(a = s, b = s)
}
;;; STDERR:
grad_param_twice.kg:14:3: error: a run binds s twice, and its gradient is asked for [grad-aliased]
    14 |   run p(a = s, b = s)
       |   ^
  fix: let the program have one buffer for it, or one param
