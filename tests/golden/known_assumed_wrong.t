;;; TOOL: kgrad run {in} --assume "stride < cols" --param rows=1 --in x=1,2,3,4 --in y=0,0,0,0
;;; EXIT: 1
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
known_assumed_wrong.kg: error: assertion failed: it was assumed that stride < cols [assert-failed]
  fix: pass values for which it holds, or change the kernel
