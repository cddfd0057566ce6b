;;; TOOL: kgrad grad {in} -o adjoint.kg
;;; EXIT: 1
;;; ABSENT: *
module m {
  buffer x : f32[8] read
  buffer y : f32[8] write
  program p adjoint q { workgroup 8 grid 1 buffer a : f32[8] read buffer b : f32[8] read buffer y : f32[8] write y[local_id.x] = a[local_id.x] * b[local_id.x] }
  program q { workgroup 8 grid 1 buffer a : f32[8] read buffer b : f32[8] read buffer grad_a : f32[8] read_write buffer grad_b : f32[8] read_write buffer grad_y : f32[8] read
   let i = local_id.x grad_a[i] += grad_y[i] * b[i] grad_b[i] += grad_y[i] * a[i] }
  run p(a = x, b = x, y = y)
}
;;; STDERR:
grad_aliased_stated.kg:7:3: error: a run binds x to two that may differ in length, or have a shadow each in a stated adjoint, and its gradient is asked for [grad-aliased]
     7 |   run p(a = x, b = x, y = y)
       |   ^
  fix: let the program have one for it, and its adjoint one shadow
