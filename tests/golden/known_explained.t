;;; TOOL: kgrad grad {in} --of y --wrt x --explain -o adjoint.kg
program pad {
  workgroup 16, 16
  grid      invocations cols, rows
  param     rows : u32 = 3
  param     cols : u32 = 4 in 1 .. 100
  param     stride : u32 = 5
  buffer    x : f32[] read
  buffer    y : f32[] read_write

  let i = global_id.y
  let j = global_id.x
  if i < rows && j < cols {
    y[i * stride + j] = x[i * stride + j] * x[i * stride + j]
  }
}
;;; STDERR:
grad_x: gradient of x; invocations add to it atomically
grad_y: cotangent of y; it is only read
run of pad, line 1: forward and reverse in one program; active: x, y
  shadow of x: added to atomically: another invocation may load the same element in line 13
what would help in the run of pad, with --param or --grid:
  shadow of x: with rows = 3, cols = 4 and stride = 5 known it would be added to by one invocation
