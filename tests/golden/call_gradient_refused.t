;;; TOOL: kgrad check {in}
;;; EXIT: 2
module step {
  buffer x : f32[1] read
  use gradient "lib/one.kg" (of z) as back
  run back
}
;;; FILE: lib/one.kg
program one {
  workgroup 1
  grid 1
  buffer x : f32[1] read
  buffer y : f32[1] write
  y[0] = x[0]
}
;;; STDERR:
lib/one.kg:1:9: error: one has no output named z [grad-no-such]
     1 | program one {
       |         ^
  fix: name one of: y
call_gradient_refused.kg:3:7: error: there is no text of gradient(of=z) lib/one.kg [use-gradient]
     3 |   use gradient "lib/one.kg" (of z) as back
       |       ^
  fix: kgrad grad says why; a kernel whose gradient is used takes no other kernel's, so print that one with kgrad grad -o
