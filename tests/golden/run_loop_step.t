;;; TOOL: kgrad run {in} --device reference
;;; EXIT: 1
program p {
  workgroup 8
  grid      1
  buffer    y : u32[8] write
  let i = local_id.x
  for k in 0 .. 8 step i { y[i] = k }
}
;;; STDERR:
run_loop_step.kg:6:3: error: the step of a for is 0 or negative in 1 invocations [loop-step]
     6 |   for k in 0 .. 8 step i { y[i] = k }
       |   ^
  fix: use a step of at least 1, and `reversed` to count down
