;;; TOOL: kgrad show {in}
program half {
  workgroup 64
  grid invocations n
  param n : u32 = 100
  buffer x : f32[n] read_write
  let i = global_id.x
  if (i < n) { let twice = x[i] + x[i]; x[i] = twice * 0.25 }   // goes
}
;;; STDOUT:
program half {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read_write

  if global_id.x < n {
    let twice = x[global_id.x] + x[global_id.x]
    x[global_id.x] = twice * 0.25
  }
}
