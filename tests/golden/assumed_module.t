;;; TOOL: kgrad show {in} --assume "n > 4"
;;; EXIT: 2
module m {
  param  n : u32
  param  k : u32 = 3
  buffer x : f32[n * k] read
  buffer y : f32[n * k] read_write

  program row {
    const     T = 8
    workgroup T
    grid      invocations n
    param     n : u32
    param     k : u32
    param     from : u32
    buffer    x : f32[] read
    buffer    y : f32[] read_write

    if global_id.x < n {
      for j in from .. k {
        y[global_id.x * k + j] = x[global_id.x * k + j] * x[global_id.x * k + j]
      }
    }
  }

  run row(from = 0) invocations n
  repeat r in 1 .. k {
    run row(from = r, x = x[0 .. n * k])
  }
}
;;; STDERR:
assumed_module.kg:1:8: error: what is assumed is asserted by a lone program, and m has several or runs them itself [assumed-module]
     1 | module m {
       |        ^
  fix: write `assert` into its programs
