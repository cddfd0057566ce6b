;;; TOOL: kgrad verify {in} --step-limit 1000
;;; EXIT: 1
program p {
  workgroup 1
  grid      1
  buffer    x : f32[1] read
  buffer    y : f32[1] write
  var n = 0
  while n < 100 { n = 1 }
  y[0] = 2.0 * x[0]
}
;;; STDERR:
verify_step_limit.kg:7:9: error: more than 1000 instructions were executed [step-limit]
     7 |   while n < 100 { n = 1 }
       |         ^
  fix: raise the limit, or shorten the loops
