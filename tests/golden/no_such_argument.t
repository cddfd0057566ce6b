;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer x : f32 read_write
  program p { workgroup 1 grid 1 buffer x : f32 read_write x = 1 }
  run p(y = x)
}
;;; STDERR:
no_such_argument.kg:4:9: error: program p has no buffer or param named y [no-such-argument]
     4 |   run p(y = x)
       |         ^
  fix: name what it declares: x
