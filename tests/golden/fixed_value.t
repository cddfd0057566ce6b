;;; TOOL: kgrad show {in} --param rows=-1
;;; EXIT: 2
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
fixed_value.kg: error: rows is of type u32, and -1 is no value of it [fixed-value]
  fix: write a u32 as the language does
