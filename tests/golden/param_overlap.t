;;; TOOL: kgrad check k.kg
;;; EXIT: 2
;;; FILE: k.kg
program k {
  workgroup 64
  grid 1
  param a : f32 view(offset 4)
  param b : f64 view(offset 0)
  buffer y : f32[64] write
  y[global_id.x] = a + f32(b)
}
;;; STDERR:
k.kg:5:9: error: params b and a have bytes of their block in common [param-overlap]
     5 |   param b : f64 view(offset 0)
       |         ^
  fix: state places that are apart, or make one param of both
