;;; TOOL: kgrad run {in}
;;; EXIT: 1
program p {
  workgroup 8
  grid      1
  buffer    y : u32[8] write
  let i = local_id.x
  var n = i
  while n < 100 limit 98 { n += 1 }
  y[i] = n
}
;;; STDERR:
run_loop_limit.kg:7:3: error: 2 invocations go on after the limit of their while [loop-limit]
     7 |   while n < 100 limit 98 { n += 1 }
       |   ^
  fix: raise the limit
