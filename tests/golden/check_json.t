;;; TOOL: kgrad check --json {in}
;;; EXIT: 2
program one {
  workgroup 1
  grid      1
  buffer    x : f32[1] read_write
  x[0] = y[0]
}
;;; STDOUT:
{"command":"check","status":2,"diagnostics":[{"id":"unknown-name","severity":"error","file":"check_json.kg","line":5,"column":10,"message":"nothing here is named y","fix":"declare it first"}],"result":{"files":[{"file":"check_json.kg","valid":false,"verdict":"invalid"}]}}
