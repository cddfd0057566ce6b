;;; TOOL: kgrad run wide.kg --out x=x.npy
;;; TOOL: kgrad run {in} --in x=x.npy --out y=-
;;; EXIT: 2
program twice {
  workgroup 1
  grid      1
  param     n : u32
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  for i in 0 .. n { y[i] = 2.0 * x[i] }
}
;;; FILE: wide.kg
program wide {
  workgroup 1
  grid      1
  buffer    x : f64[3] write
  x[0] = 0.1
  x[1] = 1e39
  x[2] = 1e30
}
;;; STDERR:
x.npy: error: element 1 of the array is 1e+39, which loses more than f32's precision in buffer x [array-rounding]
  fix: scale the array, or save it with .astype(numpy.float32) where that is meant
