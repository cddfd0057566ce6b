;;; TOOL: kgrad run {in} --in x=x.npy --out y=y.npy
;;; EXIT: 2
;;; ABSENT: y.npy
program p {
  workgroup 1
  grid      1
  param     n : u32
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  y[0] = x[0]
}
;;; FILE: x.npy
1 2 3
;;; STDERR:
x.npy: error: not a .npy file [npy-magic]
  fix: write it with numpy.save
