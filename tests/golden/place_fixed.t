;;; TOOL: kgrad grad k.kg --bind t=0.7
;;; EXIT: 2
;;; FILE: k.kg
module m {
  param  n : u32
  buffer x : f32[n] read
  buffer t : f32[2 * n] temp
  buffer y : f32[n] write
  program k {
    workgroup 64
    grid invocations n
    param n : u32
    buffer a : f32[n] read
    buffer b : f32[n] write
    if global_id.x < n { b[global_id.x] = a[global_id.x] * 3.0 }
  }
  run k(a = x, b = t[0 .. n])
  run k(a = t[0 .. n], b = y)
}
;;; STDERR:
k.kg: error: t can have no place, because runs bind slices of it [place-fixed]
  fix: state none for it: the .json says where each program has it
