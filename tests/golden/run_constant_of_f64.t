;;; TOOL: kgrad run {in} --in x=1,2 --out y=- --device vulkan
;;; DEVICE:
program constant_of_f64 {
  workgroup 1
  grid 1
  buffer x : f32[2] read
  buffer y : f32[2] write
  let c = cos(f64(-0.5)) + tanh(f64(0.25) * 3.0)
  y[0] = x[0] * f32(c)
  y[1] = x[1] * f32(pow(f64(3.0), c - c + 2.0))
}
;;; STDOUT:
y : f32[2] =
 1.5127316 18
