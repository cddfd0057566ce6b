;;; TOOL: kgrad run make.kg --out all.npz
;;; TOOL: kgrad run {in} --in x=all.npz
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  buffer    x : f32[1] read
  buffer    z : f32[1] write
  z[0] = x[0]
}
;;; FILE: make.kg
program make {
  workgroup 1
  grid      1
  buffer    y : f32[1] write
  buffer    k : u32[1] write
  y[0] = 1.0
  k[0] = 2
}
;;; STDERR:
all.npz: error: it holds no array named x, but y, k [npz-missing]
  fix: name it where it is written: numpy.savez(file, x=array)
