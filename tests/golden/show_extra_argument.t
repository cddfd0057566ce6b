;;; TOOL: kgrad show {in} {in}
;;; EXIT: 2
program half {
  workgroup 64
  grid invocations n
  param n : u32 = 100
  buffer x : f32[n] read_write
  let i = global_id.x
  if (i < n) { let twice = x[i] + x[i]; x[i] = twice * 0.25 }   // goes
}
;;; STDERR:
kgrad: error: unexpected argument show_extra_argument.kg [extra-argument]
  fix: kgrad show --help shows what it takes
