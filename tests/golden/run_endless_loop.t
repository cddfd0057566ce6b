;;; TOOL: kgrad run {in} --device reference
;;; EXIT: 1
program p {
  workgroup 1
  grid      1
  buffer    y : u32[1] write
  var n = 0
  while n < 100 { y[0] = 1 }
}
;;; STDERR:
run_endless_loop.kg:6:3: error: 1 invocations go on in this while after 4194304 trips [endless-loop]
     6 |   while n < 100 { y[0] = 1 }
       |   ^
  fix: make its condition false at last, write `limit N` behind it, or state a step limit
