;;; TOOL: kgrad show {in} --param stride=8 --assume "stride % 4 == 0"
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
program pad {
  workgroup 16, 16
  grid      invocations cols, rows
  param     rows : u32 = 3
  param     cols : u32 = 4 in 1 .. 100
  buffer    x : f32[] read
  buffer    y : f32[] read_write

  if global_id.y < rows && global_id.x < cols {
    let t1 = global_id.y * 8 + global_id.x
    let x1 = x[t1]
    y[t1] = x1 * x1
  }
}
