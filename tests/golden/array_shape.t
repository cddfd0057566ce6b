;;; TOOL: kgrad run make.kg --out y=y.npy
;;; TOOL: kgrad run {in} --in x=y.npy --param rows=3 --param cols=2
;;; EXIT: 2
// As many elements, in another shape.
program p {
  workgroup 1
  grid      1
  param     rows : u32
  param     cols : u32
  buffer    x : f32[rows, cols] read
  buffer    z : f32[1] write
  z[0] = x[0, 0]
}
;;; FILE: make.kg
program make {
  workgroup 1
  grid      1
  buffer    y : f32[2, 3] write
  y[1, 2] = 1.0
}
;;; STDERR:
kgrad: error: the array for x has the shape (2, 3), but the buffer has (3, 2) [array-shape]
  fix: pass an array of that shape, or other params; numpy.reshape and numpy.transpose change a shape
