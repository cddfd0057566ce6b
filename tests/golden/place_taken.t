;;; TOOL: kgrad grad k.kg --bind grad_x=0.1
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
k.kg: error: grad_x is placed at set 0, binding 1, where y lies [place-taken]
  fix: state a place of its own
