;;; TOOL: kgrad run make.kg --out y=y.npy
;;; TOOL: kgrad run {in} --in x=y.npy
;;; EXIT: 2
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
  buffer    y : f32[6] write
  y[1] = 1.0
}
;;; STDERR:
kgrad: error: the array for x has the shape (6,), but the buffer has 2 dimensions [array-rank]
  fix: give it the buffer's shape with numpy.reshape
