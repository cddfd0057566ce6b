;;; TOOL: kgrad show {in} --json --as spv
;;; EXIT: 2
program half {
  workgroup 64
  grid invocations n
  param n : u32 = 100
  buffer x : f32[n] read_write
  let i = global_id.x
  if (i < n) { let twice = x[i] + x[i]; x[i] = twice * 0.25 }   // goes
}
;;; STDOUT:
{"command":"show","status":2,"diagnostics":[{"id":"binary-to-terminal","severity":"error","file":null,"message":"spv is binary, which standard output does not take here","fix":"name a file with -o"}],"result":{}}
