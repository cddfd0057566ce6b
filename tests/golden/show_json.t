;;; TOOL: kgrad show {in} --json
program half {
  workgroup 64
  grid invocations n
  param n : u32 = 100
  buffer x : f32[n] read_write
  let i = global_id.x
  if (i < n) { let twice = x[i] + x[i]; x[i] = twice * 0.25 }   // goes
}
;;; STDOUT:
{"command":"show","status":0,"diagnostics":[],"result":{"text":"program half {\n  workgroup 64\n  grid      invocations n\n  param     n : u32 = 100\n  buffer    x : f32[n] read_write\n\n  if global_id.x < n {\n    let twice = x[global_id.x] + x[global_id.x]\n    x[global_id.x] = twice * 0.25\n  }\n}\n"}}
