;;; TOOL: kgrad grad k.kg --bind grad_z=0.4
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
k.kg: error: the modules have no buffer grad_z, for which a place is stated [place-unknown]
  fix: name a buffer as `kgrad grad --json` lists them
