;;; TOOL: kgrad grad k.kg --bind status=0.0 --as spvasm
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
k.kg: error: the status buffer is placed at set 0, binding 0, where something else lies [place-taken]
  fix: state a place of its own
