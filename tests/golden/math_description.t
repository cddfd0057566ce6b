;;; TOOL: kgrad show {in} -o made.spv --math fast
program p { workgroup 1 grid 1 buffer y : f32[1] read_write y[0] = exp(y[0]) }
;;; OUTPUT: made.json
{
  "format": "kgrad-abi-1",
  "module": "p",
  "math": "fast",
  "requires": [
    "signed-zero-inf-nan"
  ],
  "params": [],
  "buffers": [
    {
      "name": "y",
      "role": "primal",
      "type": "f32",
      "mode": "read_write",
      "length": {"text": "1", "tree": 1}
    }
  ],
  "programs": [
    {
      "name": "p",
      "workgroup": [ {"text": "1", "tree": 1}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}],
      "consts": [],
      "params": { "in": "nothing", "bytes": 0, "members": []},
      "buffers": [ { "name": "y", "set": 0, "binding": 0, "offset": 0, "stride": 4, "type": "f32", "mode": "read_write", "length": {"text": "1", "tree": 1}}]
    }
  ],
  "runs": [
    {
      "run": "p",
      "grid_names": "program",
      "grid": [ {"text": "1", "tree": 1}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}],
      "buffers": { "y": "y"},
      "params": {}
    }
  ],
  "sites": [],
  "gradients": []
}
