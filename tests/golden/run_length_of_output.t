;;; TOOL: kgrad run {in} --in y=5,5,5,5 --out y=-
program ramp {
  workgroup 4
  grid      1
  buffer    y : f32[] write
  y[global_id.x] = f32(global_id.x) * 0.5
}
;;; STDOUT:
y : f32[4] =
 0 0.5 1 1.5
