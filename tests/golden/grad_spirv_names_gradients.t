;;; TOOL: kgrad grad {in} -o half.spv
;;; TOOL: sh -c 'python3 -c "import json; print(json.load(open(\"half.json\"))[\"gradients\"])"'
program half {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = x[i] * 0.5 }
}
;;; STDOUT:
[{'name': 'x', 'shadow': 'grad_x', 'of': False, 'wrt': True}, {'name': 'y', 'shadow': 'grad_y', 'of': True, 'wrt': False}]
