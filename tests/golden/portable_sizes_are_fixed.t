;;; TOOL: kgrad show {in} --target portable -o a.spv
program p {
  const T : u32 = 8
  const C : u32 = 3
  param n : u32 = 8
  buffer x : f32[n] read_write
  workgroup T
  grid 1
  shared s : f32[2 * T]
  let i = local_id.x
  s[i] = x[i] * f32(C)
  x[i] = s[i]
}
;;; OUTPUT: a.json
{
  "format": "kgrad-abi-1",
  "module": "p",
  "math": "exact",
  "requires": [],
  "params": [
    {
      "name": "n",
      "type": "u32",
      "default": 8
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
      "name": "p",
      "workgroup": [ {"text": "T", "tree": ["const", "T"]}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}],
      "consts": [ { "name": "T", "type": "u32", "default": 8, "fixed": true}, { "name": "C", "type": "u32", "default": 3, "spec_id": 1}],
      "params": { "in": "push", "bytes": 4, "members": [ { "name": "n", "type": "u32", "offset": 0}]},
      "buffers": [ { "name": "x", "set": 0, "binding": 0, "offset": 0, "stride": 4, "type": "f32", "mode": "read_write", "length": {"text": "n", "tree": ["param", "n"]}}]
    }
  ],
  "runs": [
    {
      "run": "p",
      "grid_names": "program",
      "grid": [ {"text": "1", "tree": 1}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}],
      "buffers": { "x": "x"},
      "params": { "n": {"text": "n", "tree": ["param", "n"]}}
    }
  ],
  "sites": [],
  "gradients": []
}
