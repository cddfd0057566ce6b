;;; TOOL: kgrad verify {in} --in row=0,1000,1001,1001 --trips 1000
;;; TOOL: kgrad verify {in} --in row=0,1000,1001,1001 --trips 1000 --mode hvp
// Rows of a sparse matrix, of which one has 1000 entries: only their user knows how many there are.
program rows {
  workgroup 8
  grid      invocations n
  param     n : u32 = 3
  buffer    row : u32[n + 1] read
  buffer    a : f32[] read
  buffer    y : f32[n] write

  let i = global_id.x
  if i < n {
    var s = 0.5
    for k in row[i] .. row[i + 1] {
      s += 0.01 * sin(s * a[k])
    }
    y[i] = s
  }
}
;;; STDOUT:
tan_grad_a: passed, 100 of 100 entries; worst [52]: -0.000401525031, dual -0.000401524991, 0.0013 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 195 of the magnitude
passed
