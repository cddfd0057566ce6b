;;; TOOL: kgrad grad --json {in} -o adjoint.kg
program square {
  workgroup 64
  param     n : u32 = 1000
  grid      invocations n
  buffer    x : f32[n] read
  buffer    grad_x : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = x[i] * x[i] + grad_x[i] }
}
;;; STDOUT:
{"command":"grad","status":0,"diagnostics":[],"result":{"map":[{"name":"x","shadow":"grad_x_1","param":false,"of":false,"wrt":true,"tangent":false,"kept":false,"added_up":"each element is stored once"},{"name":"grad_x","shadow":"grad_grad_x","param":false,"of":false,"wrt":true,"tangent":false,"kept":false,"added_up":"each element is stored once"},{"name":"y","shadow":"grad_y","param":false,"of":true,"wrt":false,"tangent":false,"kept":false,"added_up":"it is only read"}],"runs":[{"program":"square","line":1,"role":"combined","active":"x, grad_x, y","values":[],"shares":[{"object":"x","how":"stored","why":"the load in line 9 reaches every element once"},{"object":"grad_x","how":"stored","why":"the load in line 9 reaches every element once"}],"checkpoints":[],"tapes":[]}],"segments":[]}}
