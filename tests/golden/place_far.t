;;; TOOL: kgrad grad k.kg --bind grad_x=32.1
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
k.kg: error: grad_x is placed in descriptor set 32, and devices have sets up to 31 at most [place-far]
  fix: state a lower set
