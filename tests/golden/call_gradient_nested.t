;;; TOOL: kgrad check {in}
;;; EXIT: 2
module step {
  buffer x : f32[1] read
  use gradient "second.kg" as back
  run back
}
;;; FILE: second.kg
module second {
  buffer x : f32[1] read
  use gradient "second.kg" as back
  run back
}
;;; STDERR:
second.kg:3:7: error: there is no text of gradient() second.kg [use-gradient]
     3 |   use gradient "second.kg" as back
       |       ^
  fix: kgrad grad says why; a kernel whose gradient is used takes no other kernel's, so print that one with kgrad grad -o
call_gradient_nested.kg:3:7: error: there is no text of gradient() second.kg [use-gradient]
     3 |   use gradient "second.kg" as back
       |       ^
  fix: kgrad grad says why; a kernel whose gradient is used takes no other kernel's, so print that one with kgrad grad -o
