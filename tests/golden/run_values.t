;;; TOOL: kgrad run {in} --in x=1,-2.5,0.1 --in y=ones --out z=-
program p {
  workgroup 1
  grid      1
  param     n : u32
  buffer    x : f32[n] read
  buffer    y : f32[n] read
  buffer    z : f32[n] write
  for i in 0 .. n { z[i] = x[i] * 2.0 + y[i] }
}
;;; STDOUT:
z : f32[3] =
 3 -4 1.2
