;;; TOOL: kgrad verify {in} --wrt "h after step"
;;; EXIT: 2
module twice {
  buffer h : f32[4] read_write
  program step {
    workgroup 4
    grid 1
    buffer h : f32[4] read_write
    h[global_id.x] *= 2.0
  }
  run step
  run step
}
;;; STDERR:
