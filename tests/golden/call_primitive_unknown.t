;;; TOOL: kgrad check {in}
;;; EXIT: 2
module net {
  buffer x : f32[4] read
  use primitive sofmax(rows = 2) as share
  run share
}
;;; STDERR:
kgrad: error: there is no primitive sofmax [unknown-primitive]
  fix: did you mean softmax?
call_primitive_unknown.kg:3:7: error: there is no text of primitive sofmax(rows=2) [use-primitive]
     3 |   use primitive sofmax(rows = 2) as share
       |       ^
  fix: kgrad prim --list names the primitives, and kgrad prim --help NAME their parameters
