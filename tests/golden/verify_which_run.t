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
verify_which_run.kg:1:8: error: step runs more than once, and h after step does not say behind which run [grad-which-run]
     1 | module twice {
       |        ^
  fix: count its runs from 1, as in h after k:2
