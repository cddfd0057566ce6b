;;; TOOL: kgrad run {in} --step-limit 1000
;;; EXIT: 1
program p {
  workgroup 1
  grid      1
  buffer    y : u32[1] write
  var n = 0
  while n < 100 { y[0] = 1 }
}
;;; STDERR:
run_step_limit.kg:6:9: error: more than 1000 instructions were executed [step-limit]
     6 |   while n < 100 { y[0] = 1 }
       |         ^
  fix: raise the limit, or shorten the loops
