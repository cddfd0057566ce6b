;;; TOOL: kgrad show {in} -o bytes.spv
program bytes {
  workgroup 1
  grid      1
  buffer    x : f32[1] read_write
  assert x[0] > 0.0 "\xff\xc3\xa9 \"\x80\x01\""
}
;;; OUTPUT: bytes.json
{
  "format": "kgrad-abi-1",
  "module": "bytes",
  "math": "exact",
  "requires": [
    "signed-zero-inf-nan"
  ],
  "params": [],
  "buffers": [
    {
      "name": "x",
      "role": "primal",
      "type": "f32",
      "mode": "read_write",
      "length": {"text": "1", "tree": 1}
    }
  ],
  "programs": [
    {
      "name": "bytes",
      "workgroup": [ {"text": "1", "tree": 1}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}],
      "consts": [],
      "params": { "in": "nothing", "bytes": 0, "members": []},
      "buffers": [ { "name": "x", "set": 0, "binding": 0, "offset": 0, "stride": 4, "type": "f32", "mode": "read_write", "length": {"text": "1", "tree": 1}}],
      "status_binding": 1
    }
  ],
  "runs": [
    {
      "run": "bytes",
      "grid_names": "program",
      "grid": [ {"text": "1", "tree": 1}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}],
      "buffers": { "x": "x"},
      "params": {}
    }
  ],
  "status_words": 4,
  "sites": [
    {
      "program": "bytes",
      "kind": "assert",
      "line": 5,
      "column": 3,
      "message": "\ufffdé \"\ufffd\u0001\""
    }
  ],
  "gradients": []
}
