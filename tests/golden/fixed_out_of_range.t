;;; TOOL: kgrad show {in} --param cols=100
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
fixed_out_of_range.kg:5:13: error: param cols is 100, and its declared range is 1 .. 100 [param-range]
     5 |   param     cols : u32 = 4 in 1 .. 100
       |             ^
  fix: give cols a value from 1 on that is less than 100
