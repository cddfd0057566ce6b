;;; TOOL: kgrad verify {in} --of y --wrt x --specialise --param rows=3 --param cols=4 --param stride=5 --assume "rows < stride"
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
grad_x: passed, 100 of 100 entries; worst [2]: 0.617575586, dual 0.617575612, 0.01 of what is allowed
along 4 random directions: passed; worst: 0.61843752, dual 0.618437496, 0.0014 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 33.9 of the magnitude
passed
