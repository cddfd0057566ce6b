;;; TOOL: kgrad show {in} --grid 4
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
grid_of_kernel.kg: error: --grid means nothing for a kernel of kgrad's language [option-source]
  fix: leave it out, or give the source of a shader
