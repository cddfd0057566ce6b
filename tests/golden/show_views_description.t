;;; TOOL: kgrad show {in} -o points.spv
program points {
  workgroup 64
  grid      1
  buffer    x : f32[64] read_write view(set 1, binding 2, offset 0, stride 8)
  buffer    y : f32[64] read view(set 1, binding 2, offset 4, stride 8)
  buffer    w : f32[64] read
  buffer    first : u32 write view(set 0, binding 0, offset 4, stride 4)

  x[local_id.x] = y[local_id.x] + w[local_id.x]
  if local_id.x == 0 { first = 1 }
}
;;; OUTPUT: points.json
{
  "format": "kgrad-abi-1",
  "module": "points",
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
      "length": {"text": "64", "tree": 64},
      "view": { "set": 1, "binding": 2, "offset": 0, "stride": 8}
    },
    {
      "name": "y",
      "role": "primal",
      "type": "f32",
      "mode": "read",
      "length": {"text": "64", "tree": 64},
      "view": { "set": 1, "binding": 2, "offset": 4, "stride": 8}
    },
    {
      "name": "w",
      "role": "primal",
      "type": "f32",
      "mode": "read",
      "length": {"text": "64", "tree": 64}
    },
    {
      "name": "first",
      "role": "primal",
      "type": "u32",
      "mode": "write",
      "length": {"text": "1", "tree": 1},
      "view": { "set": 0, "binding": 0, "offset": 4, "stride": 4}
    }
  ],
  "programs": [
    {
      "name": "points",
      "workgroup": [ {"text": "64", "tree": 64}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}],
      "consts": [],
      "params": { "in": "nothing", "bytes": 0, "members": []},
      "buffers": [ { "name": "x", "set": 1, "binding": 2, "offset": 0, "stride": 8, "type": "f32", "mode": "read_write", "length": {"text": "64", "tree": 64}}, { "name": "y", "set": 1, "binding": 2, "offset": 4, "stride": 8, "type": "f32", "mode": "read", "length": {"text": "64", "tree": 64}}, { "name": "w", "set": 0, "binding": 1, "offset": 0, "stride": 4, "type": "f32", "mode": "read", "length": {"text": "64", "tree": 64}}, { "name": "first", "set": 0, "binding": 0, "offset": 4, "stride": 4, "type": "u32", "mode": "write", "length": {"text": "1", "tree": 1}}]
    }
  ],
  "runs": [
    {
      "run": "points",
      "grid_names": "program",
      "grid": [ {"text": "1", "tree": 1}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}],
      "buffers": { "x": "x", "y": "y", "w": "w", "first": "first"},
      "params": {}
    }
  ],
  "sites": [],
  "gradients": []
}
