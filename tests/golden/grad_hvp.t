;;; TOOL: kgrad grad {in} --mode hvp --json -o hvp.kg
program cube {
  workgroup 64
  param     n : u32 = 1000
  grid      invocations n
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = x[i] * x[i] * x[i] }
}
;;; STDOUT:
{"command":"grad","status":0,"diagnostics":[],"result":{"map":[{"name":"x","shadow":"grad_x","param":false,"of":false,"wrt":true,"tangent":false,"kept":false,"added_up":"each element is stored once"},{"name":"y","shadow":"grad_y","param":false,"of":true,"wrt":false,"tangent":false,"kept":false,"added_up":"it is only read"},{"name":"x","shadow":"tan_x","param":false,"of":false,"wrt":true,"tangent":true,"kept":false,"added_up":"it is computed beside its values"},{"name":"grad_x","shadow":"tan_grad_x","param":false,"of":true,"wrt":false,"tangent":true,"kept":false,"added_up":"it is computed beside its values"}],"runs":[{"program":"cube","line":1,"role":"combined","active":"x, y","values":[],"shares":[{"object":"x","how":"stored","why":"the load in line 8 reaches every element once"}],"checkpoints":[],"tapes":[]}],"segments":[]}}
;;; OUTPUT: hvp.kg
program cube_grad_jvp {
  workgroup 64
  grid      invocations n
  param     n : u32 = 1000
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  buffer    grad_x : f32[n] write
  buffer    grad_y : f32[n] read
  buffer    tan_x : f32[n] read
  buffer    tan_grad_x : f32[n] write

  if global_id.x < n {
    let x1 = x[global_id.x]
    let t1 = x1 * x1
    y[global_id.x] = t1 * x1
    let grad_y1 = grad_y[global_id.x]
    let t2 = mulz(grad_y1, x1)
    let t3 = mulz(grad_y1, t1)
    let t4 = mulz(t2, x1)
    grad_x[global_id.x] = t3 + t4 + t4
    let tan_x1 = tan_x[global_id.x]
    let t5 = mulz(tan_x1, x1)
    let t6 = t5 + t5
    let t7 = mulz(grad_y1, tan_x1)
    let t8 = mulz(grad_y1, t6)
    let t9 = mulz(t7, x1) + mulz(t2, tan_x1)
    tan_grad_x[global_id.x] = t8 + t9 + t9
  }
}
