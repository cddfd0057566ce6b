;;; TOOL: kgrad run ramp.kg --out y=a.npy
;;; TOOL: kgrad run {in} --in x=a.npy
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  buffer    x : f32[11] read_write
  x[0] = 1.0
}
;;; FILE: ramp.kg
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; STDERR:
run_length_mismatch.kg:4:13: error: the array for x has 10 elements, but its declaration makes 11 [length-mismatch]
     4 |   buffer    x : f32[11] read_write
       |             ^
  fix: pass as many
