;;; TOOL: kgrad grad {src}/examples/inplace.kg
;;; STDOUT:
program inplace_grad {
  workgroup 32
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read
  buffer    out : f32[n] read_write
  buffer    grad_x : f32[n] write
  buffer    grad_out : f32[n] read_write

  if global_id.x < n {
    let out1 = out[global_id.x]
    let x1 = x[global_id.x]
    out[global_id.x] = out1 * x1
    let out2 = out[global_id.x]
    out[global_id.x] = out2 * out2 + x1
    let grad_out1 = grad_out[global_id.x]
    let t1 = mulz(grad_out1, out2)
    grad_out[global_id.x] = t1 + t1
    let grad_out2 = grad_out[global_id.x]
    let t2 = mulz(grad_out2, x1)
    grad_x[global_id.x] = grad_out1 + mulz(grad_out2, out1)
    grad_out[global_id.x] = t2
  }
}
