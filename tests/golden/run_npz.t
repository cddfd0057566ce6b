;;; TOOL: kgrad run make.kg --out all.npz
;;; TOOL: kgrad run {in} --in all.npz --out z=-
// Params come from the shape.
program p {
  workgroup 1
  grid      1
  param     rows : u32
  param     cols : u32
  buffer    x : f32[rows, cols] read
  buffer    k : u32[1] read
  buffer    z : f32[cols, rows] write
  for i in 0 .. rows { for j in 0 .. cols { z[j, i] = x[i, j] * f32(k[0]) } }
}
;;; FILE: make.kg
program make {
  workgroup 1
  grid      1
  buffer    x : f32[2, 3] write
  buffer    k : u32[1] write
  for i in 0 .. 2 { for j in 0 .. 3 { x[i, j] = f32(i * 10 + j) } }
  k[0] = 2
}
;;; STDOUT:
z : f32[3, 2] =
 0 20 2 22 4 24
