;;; TOOL: kgrad show {in} -o once.kg
;;; TOOL: kgrad show once.kg -o twice.kg
;;; TOOL: cmp once.kg twice.kg
program half {
  workgroup 64
  grid invocations n
  param n : u32 = 100
  buffer x : f32[n] read_write
  let i = global_id.x
  if (i < n) { let twice = x[i] + x[i]; x[i] = twice * 0.25 }   // goes
}
