;;; TOOL: kgrad run {in} --param n=0
;;; EXIT: 2
module m {
  param  n : u32
  buffer y : f32[4] write
  program p {
    workgroup 4
    buffer    y : f32[4] write
    y[local_id.x] = 1.0
  }
  repeat k in 0 .. 4 step n { run p(y = y) grid 1 }
}
;;; STDERR:
run_repeat_step.kg:9:3: error: the step of a repeat is 0 [repeat-step]
     9 |   repeat k in 0 .. 4 step n { run p(y = y) grid 1 }
       |   ^
  fix: use a step of at least 1
