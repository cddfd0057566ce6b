;;; TOOL: kgrad show {in} -o half.spv
program half {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read_write
  let i = global_id.x
  if i < n { x[i] *= 0.5 }
}
;;; OUTPUT: half.json
{
  "format": "kgrad-abi-1",
  "module": "half",
  "math": "exact",
  "requires": [
    "signed-zero-inf-nan"
  ],
  "params": [
    {
      "name": "n",
      "type": "u32",
      "default": 100
    }
  ],
  "buffers": [
    {
      "name": "x",
      "role": "primal",
      "type": "f32",
      "mode": "read_write",
      "length": {"text": "n", "tree": ["param", "n"]}
    }
  ],
  "programs": [
    {
      "name": "half",
      "workgroup": [ {"text": "64", "tree": 64}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}],
      "consts": [],
      "params": { "in": "push", "bytes": 4, "members": [ { "name": "n", "type": "u32", "offset": 0}]},
      "buffers": [ { "name": "x", "set": 0, "binding": 0, "offset": 0, "stride": 4, "type": "f32", "mode": "read_write", "length": {"text": "n", "tree": ["param", "n"]}}]
    }
  ],
  "runs": [
    {
      "run": "half",
      "grid_names": "program",
      "grid": [ {"text": "(n + 64 - 1) / 64", "tree": ["/", ["-", ["+", ["param", "n"], 64], 1], 64]}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}],
      "buffers": { "x": "x"},
      "params": { "n": {"text": "n", "tree": ["param", "n"]}}
    }
  ],
  "sites": [],
  "gradients": []
}
