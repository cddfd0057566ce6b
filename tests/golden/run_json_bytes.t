;;; TOOL: kgrad run {in} --in x=zeros --json
;;; EXIT: 1
program bytes {
  workgroup 1
  grid      1
  buffer    x : f32[1] read_write
  assert x[0] > 0.0 "\xff\xc3\xa9 \"\x80\x01\""
}
;;; STDOUT:
{"command":"run","status":1,"diagnostics":[{"id":"assert-failed","severity":"error","file":"run_json_bytes.kg","line":5,"column":3,"message":"assertion failed: \\xff\\xc3\\xa9 \"\\x80\\x01\"","fix":"pass values for which it holds, or change the kernel"}],"result":{}}
