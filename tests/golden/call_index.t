;;; TOOL: kgrad check {in}
;;; EXIT: 2
module net {
  buffer x : f32[4] read
  use "b.kg" as b
  repeat n in 1 .. 3 { run b }
}
;;; FILE: b.kg
module b {
  param n : u32
  buffer x : f32[4] read
  buffer t : f32[n] temp
  program a { workgroup 1 grid 1 buffer x : f32[4] read buffer t : f32[] write t[0] = x[0] }
  run a
}
;;; STDERR:
call_index.kg:4:24: error: b needs b_t, a temporary whose length depends on the index of a repeat [use-index]
     4 |   repeat n in 1 .. 3 { run b }
       |                        ^
  fix: pass a length that stays the same for all trips, or run it outside of the repeat
