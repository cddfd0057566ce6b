;;; TOOL: kgrad show {in}
// Runs, repeats, arguments by name, by default and left out.
module work {
  param  n : u32 = 16
  param  lr : f32 = 0.1
  param  step : u32 = 2
  buffer a : f32[n] read_write
  buffer t : f32[n * 2] temp
  buffer x : f32[n] read
  buffer loss : f32 write

  fn half(v : f32) -> f32 = v * 0.5

  program first {
    workgroup 8
    grid invocations n
    param n : u32
    param k : i32 = -1
    param rate : f32 = 0.25
    param flag : bool = false
    buffer x : f32[n] read
    buffer y : f32[n] write
    if global_id.x < n { y[global_id.x] = half(x[global_id.x]) * rate + f32(k) + f32(flag) }
  }

  program second {
    workgroup 8, 2
    param n : u32 = 3
    buffer a : f32[] read_write
    buffer loss : f32 read_write
    if global_id.x < n { a[global_id.x] += 1; loss += a[0] }
  }

  run first(y = a)
  run first(x = a, y = t, n = n * 2 - 1, k = 5, rate = 0.5, flag = true) grid 3
  repeat k in 0 .. n step step {
    run first(y = a, rate = lr)
    repeat j in 0 .. k reversed {
      run second(n = k + j * 2) invocations n, 2
      run second(n = default) grid 1, 1
    }
  }
}
;;; STDOUT:
module work {
  param  n : u32 = 16
  param  lr : f32 = 0.1
  param  step : u32 = 2
  buffer a : f32[n] read_write
  buffer t : f32[n * 2] temp
  buffer x : f32[n] read
  buffer loss : f32 write

  program first {
    workgroup 8
    grid      invocations n
    param     n : u32
    param     k : i32 = -1
    param     rate : f32 = 0.25
    param     flag : bool = false
    buffer    x : f32[n] read
    buffer    y : f32[n] write

    if global_id.x < n {
      y[global_id.x] = x[global_id.x] * 0.5 * rate + f32(k) + f32(flag)
    }
  }

  program second {
    workgroup 8, 2
    param     n : u32 = 3
    buffer    a : f32[] read_write
    buffer    loss : f32 read_write

    if global_id.x < n {
      a[global_id.x] += 1.0
      loss += a[0]
    }
  }

  run first(y = a)
  run first(x = a, y = t, n = n * 2 - 1, k = 5, rate = 0.5, flag = true) grid 3
  repeat k in 0 .. n step step {
    run first(y = a, rate = lr)
    repeat j in 0 .. k reversed {
      run second(n = k + j * 2) invocations n, 2
      run second(n = default) grid 1, 1
    }
  }
}
