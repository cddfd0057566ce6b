;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  x[1] = relu
}
;;; STDERR:
prelude_not_called.kg:5:10: error: nothing here is named relu [unknown-name]
     5 |   x[1] = relu
       |          ^
  fix: call the function, relu(...), or declare a name
