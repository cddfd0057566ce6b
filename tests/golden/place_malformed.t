;;; TOOL: kgrad grad k.kg --bind grad_x=1.
;;; EXIT: 2
;;; FILE: k.kg
program k {
  workgroup 64
  grid invocations n
  param n : u32
  buffer x : f32[n] read
  buffer y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = x[i] * x[i] }
}
;;; STDERR:
kgrad: error: --bind takes NAME=SET.BINDING, not grad_x=1. [option-place]
  fix: as in --bind grad_x=1.4, which is set 1 and binding 4
