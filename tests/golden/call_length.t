;;; TOOL: kgrad check {in}
;;; EXIT: 2
module net {
  buffer x : f32[8] read
  buffer y : f32[8] write
  param  n : u32 = 2
  use "b.kg" as b
  run b(x = x[0 .. n], y = y[0 .. 4])
}
;;; FILE: b.kg
module b {
  buffer x : f32[4] read
  buffer y : f32[4] write
  program a { workgroup 1 grid 1 buffer x : f32[4] read buffer y : f32[4] write y[0] = x[0] }
  run a
}
;;; STDERR:
call_length.kg:6:3: error: what is bound to x is not seen to be as long as b declares it [use-length]
     6 |   run b(x = x[0 .. n], y = y[0 .. 4])
       |   ^
  fix: bind a slice of exactly that length, written alike, or a buffer of which b takes the beginning
