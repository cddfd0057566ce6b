;;; TOOL: kgrad grad {in} --of y --wrt x --param rows=3 --param cols=4 --param stride=3
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
;;; STDOUT:
module pad_grad {
  buffer x : f32[] read
  buffer y : f32[] read_write
  buffer grad_x : f32[len(x)] write
  buffer grad_y : f32[len(y)] read

  program pad_grad {
    workgroup 16, 16
    grid      invocations 4, 3
    buffer    x : f32[] read
    buffer    y : f32[] read_write
    buffer    grad_x : f32[len(x)] read_write
    buffer    grad_y : f32[len(y)] read

    if global_id.y < 3 && global_id.x < 4 {
      let t1 = global_id.y * 3 + global_id.x
      let x1 = x[t1]
      y[t1] = x1 * x1
      let t2 = mulz(grad_y[t1], x1)
      atomic_add(grad_x[t1], t2 + t2)
    }
  }

  program zero_f32 {
    workgroup 256
    buffer    a : f32[] write

    for i in global_id.x .. len(a) step num_workgroups.x * 256 {
      a[i] = 0.0
    }
  }

  run zero_f32(a = grad_x) grid min((len(x) + 255) / 256, 65535)
  run pad_grad
}
