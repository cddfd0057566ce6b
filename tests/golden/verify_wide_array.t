;;; TOOL: kgrad run wide.kg --out x=x.npy
;;; TOOL: kgrad verify {in} --in x=x.npy
program square {
  workgroup 1
  grid      1
  param     n : u32
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  for i in 0 .. n { y[i] = x[i] * x[i] }
}
;;; FILE: wide.kg
program wide {
  workgroup 1
  grid      1
  buffer    x : f64[3] write
  x[0] = 0.1
  x[1] = -3.0
  x[2] = 0.5
}
;;; STDOUT: *
;;; STDERR:
x.npy: note: the array of f64 is rounded to the f32 of buffer x [array-converted]
  fix: save it with .astype(numpy.float32) to be rid of this note
