;;; TOOL: kgrad show {in} --param k=4 --const T=16
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
;;; STDOUT:
module m {
  param  n : u32
  buffer x : f32[n * 4] read
  buffer y : f32[n * 4] read_write

  program row {
    workgroup 16
    grid      invocations n
    param     n : u32
    param     from : u32
    buffer    x : f32[] read
    buffer    y : f32[] read_write

    if global_id.x < n {
      let t1 = global_id.x * 4
      for j in from .. 4 {
        let t2 = t1 + j
        let x1 = x[t2]
        y[t2] = x1 * x1
      }
    }
  }

  run row(from = 0) invocations n
  repeat r in 1 .. 4 {
    run row(x = x[0 .. n * 4], from = r)
  }
}
