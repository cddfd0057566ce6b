;;; TOOL: kgrad grad {src}/examples/saxpy.kg
;;; STDOUT:
program saxpy_grad {
  workgroup 64
  grid      invocations n
  param     n : u32 = 1000
  param     a : f32 = 2.5
  buffer    x : f32[n] read
  buffer    y : f32[n] read_write
  buffer    grad_x : f32[n] write
  buffer    grad_y : f32[n] read

  if global_id.x < n {
    y[global_id.x] = a * x[global_id.x] + y[global_id.x]
    grad_x[global_id.x] = mulz(grad_y[global_id.x], a)
  }
}
