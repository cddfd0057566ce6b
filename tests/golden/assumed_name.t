;;; TOOL: kgrad show {in} --assume "height < 4"
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
assumed_name.kg: error: height < 4 is no condition over params and constants [assumed-form]
  fix: compare them with each other and with literals, as in n % 4 == 0; params: rows, cols, stride
