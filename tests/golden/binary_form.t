;;; TOOL: kgrad show {in} -o half.kgb
;;; TOOL: kgrad show half.kgb -o again.kgb
;;; TOOL: kgrad show again.kgb
program half {
  workgroup 64
  grid invocations n
  param n : u32 = 10
  buffer x : f32[n] read_write
  let i = global_id.x
  if i < n { x[i] = x[i] * 0.5 }
}
;;; STDOUT:
program half {
  workgroup 64
  grid      invocations n
  param     n : u32 = 10
  buffer    x : f32[n] read_write

  if global_id.x < n {
    x[global_id.x] *= 0.5
  }
}
