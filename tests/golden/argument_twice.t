;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer x : f32 read_write
  program p { workgroup 1 grid 1 buffer x : f32 read_write x = 1 }
  run p(x = x, x = x)
}
;;; STDERR:
argument_twice.kg:4:16: error: x is stated twice [stated-twice]
     4 |   run p(x = x, x = x)
       |                ^
  fix: remove one
