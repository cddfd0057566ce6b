;;; TOOL: kgrad show {in} --param stride=6 --assume "stride % 4 == 0"
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
assumed_false.kg: error: stride % 4 == 0 is assumed, and the values that are given make it false [assumed-false]
  fix: change one of both
