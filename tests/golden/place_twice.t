;;; TOOL: kgrad grad k.kg --layout same --bind grad_x=1.0 --bind grad_z=1.1
;;; EXIT: 2
;;; FILE: k.kg
program k {
  workgroup 64
  grid invocations n
  param n : u32
  buffer x : f32[n] read view(set 0, binding 0, offset 0, stride 8)
  buffer z : f32[n] read view(set 0, binding 0, offset 4, stride 8)
  buffer y : f32[n] write view(set 0, binding 1, offset 0, stride 4)
  let i = global_id.x
  if i < n { y[i] = f32(x[i]) * f32(z[i]) }
}
;;; STDERR:
k.kg: error: grad_x and grad_z lie in one memory, and two places are stated for it [place-twice]
  fix: state one of the places
