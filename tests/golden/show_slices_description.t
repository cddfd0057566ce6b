;;; TOOL: kgrad show {in} -o trips.spv
module trips {
  param n : u32 = 5
  buffer tape : f32[] read_write
  program step {
    workgroup 64
    grid invocations len(a)
    param k : u32
    buffer a : f32[] read
    buffer b : f32[] write
    buffer s : f32[] read

    b[global_id.x] = a[global_id.x] + f32(k)
  }
  repeat k in 0 .. 3 {
    run step(a = tape[k * n .. (k + 1) * n], b = tape[n * (k + 1) .. min(len(tape), n * (k + 2))], s = tape[0 .. 0])
  }
}
;;; OUTPUT: trips.json
{
  "format": "kgrad-abi-1",
  "module": "trips",
  "math": "exact",
  "requires": [
    "signed-zero-inf-nan"
  ],
  "params": [
    {
      "name": "n",
      "type": "u32",
      "default": 5
    }
  ],
  "buffers": [
    {
      "name": "tape",
      "role": "primal",
      "type": "f32",
      "mode": "read_write",
      "length": "host"
    }
  ],
  "programs": [
    {
      "name": "step",
      "workgroup": [ {"text": "64", "tree": 64}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}],
      "consts": [],
      "params": { "in": "push", "bytes": 16, "members": [ { "name": "k", "type": "u32", "offset": 0}, { "length_of": "a", "type": "u32", "offset": 4, "value": "host"}, { "length_of": "b", "type": "u32", "offset": 8, "value": "host"}, { "length_of": "s", "type": "u32", "offset": 12, "value": "host"}]},
      "buffers": [ { "name": "a", "set": 0, "binding": 0, "offset": 0, "stride": 4, "type": "f32", "mode": "read", "length": "host"}, { "name": "b", "set": 0, "binding": 1, "offset": 0, "stride": 4, "type": "f32", "mode": "write", "length": "host"}, { "name": "s", "set": 0, "binding": 2, "offset": 0, "stride": 4, "type": "f32", "mode": "read", "length": "host"}]
    }
  ],
  "runs": [
    {
      "repeat": "k",
      "from": {"text": "0", "tree": 0},
      "to": {"text": "3", "tree": 3},
      "step": {"text": "1", "tree": 1},
      "reversed": false,
      "runs": [ { "run": "step", "grid_names": "program", "grid": [ {"text": "(len(a) + 64 - 1) / 64", "tree": ["/", ["-", ["+", ["len", "a"], 64], 1], 64]}, {"text": "1", "tree": 1}, {"text": "1", "tree": 1}], "buffers": { "a": { "slice_of": "tape", "from": {"text": "k * n", "tree": ["*", ["index", "k"], ["param", "n"]]}, "to": {"text": "(k + 1) * n", "tree": ["*", ["+", ["index", "k"], 1], ["param", "n"]]}}, "b": { "slice_of": "tape", "from": {"text": "n * (k + 1)", "tree": ["*", ["param", "n"], ["+", ["index", "k"], 1]]}, "to": {"text": "min(len(tape), n * (k + 2))", "tree": ["min", ["len", "tape"], ["*", ["param", "n"], ["+", ["index", "k"], 2]]]}}, "s": { "slice_of": "tape", "from": {"text": "0", "tree": 0}, "to": {"text": "0", "tree": 0}}}, "params": { "k": {"text": "k", "tree": ["index", "k"]}}}]
    }
  ],
  "sites": [],
  "gradients": []
}
