;;; TOOL: kgrad grad k.kg --layout same
;;; EXIT: 2
;;; FILE: k.kg
program k {
  workgroup 64
  grid invocations n
  param n : u32
  buffer x : f32[n] read view(set 0, binding 0, offset 0, stride 8)
  buffer z : f32[n] read view(set 0, binding 0, offset 0, stride 8)
  buffer y : f32[n] write view(set 0, binding 1, offset 0, stride 4)
  let i = global_id.x
  if i < n { y[i] = f32(x[i]) * f32(z[i]) }
}
;;; STDERR:
k.kg:6:10: error: z lies over x, so that their shadows cannot lie alike [layout-overlap]
     6 |   buffer z : f32[n] read view(set 0, binding 0, offset 0, stride 8)
       |          ^
  fix: ask for --layout kept, where each shadow is an array of its own
