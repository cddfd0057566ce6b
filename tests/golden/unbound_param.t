;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer x : f32 read_write
  program p { workgroup 1 grid 1 param k : f32 buffer x : f32 read_write x = k }
  run p
}
;;; STDERR:
unbound_param.kg:4:3: error: the run of p gives no value to its param k, which has no default [unbound-param]
     4 |   run p
       |   ^
  fix: add k = ...
