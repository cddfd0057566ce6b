;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  buffer    y : f32[4] write
  y[0] = softplux(y[0])
}
;;; STDERR:
prelude_near.kg:5:10: error: nothing here is named softplux [unknown-name]
     5 |   y[0] = softplux(y[0])
       |          ^
  fix: did you mean softplus?
