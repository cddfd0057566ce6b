;;; TOOL: kgrad run {in} --out y=- --json
;;; EXIT: 2
;;; ABSENT: *
program p {
  workgroup 1
  grid      1
  buffer    y : f32[1] write
  y[0] = 1.0
}
;;; STDOUT:
{"command":"run","status":2,"diagnostics":[{"id":"output-json","severity":"error","file":null,"message":"standard output cannot take both an output and --json","fix":"name a file for the output, or leave out --json"}],"result":{}}
