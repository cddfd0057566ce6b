;;; TOOL: kgrad grad {src}/examples/saxpy.kg --mode forward
;;; STDOUT:
program saxpy_jvp {
  workgroup 64
  grid      invocations n
  param     n : u32 = 1000
  param     a : f32 = 2.5
  buffer    x : f32[n] read
  buffer    y : f32[n] read_write
  buffer    tan_x : f32[n] read
  buffer    tan_y : f32[n] read_write

  if global_id.x < n {
    y[global_id.x] = a * x[global_id.x] + y[global_id.x]
    tan_y[global_id.x] = mulz(tan_x[global_id.x], a) + tan_y[global_id.x]
  }
}
