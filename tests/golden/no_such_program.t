;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer x : f32 read_write
  run q(x = x)
}
;;; STDERR:
no_such_program.kg:3:7: error: no program is named q [no-such-program]
     3 |   run q(x = x)
       |       ^
  fix: declare it before it runs
