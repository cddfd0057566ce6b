;;; TOOL: kgrad grad {in}
// What all trips of a loop load from one element is loaded once, and its gradient is added once.
program pairs {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read
  buffer    y : f32[n] write

  if global_id.x < n {
    var s = 0.0
    for j in 0 .. n {
      if j != global_id.x { s += tanh(x[global_id.x] - x[j]) }
    }
    y[global_id.x] = s
  }
}
;;; STDOUT:
module pairs_grad {
  param  n : u32 = 100
  buffer x : f32[n] read
  buffer y : f32[n] write
  buffer grad_x : f32[n] write
  buffer grad_y : f32[n] read

  program pairs_grad {
    workgroup 64
    grid      invocations n
    param     n : u32 = 100
    buffer    x : f32[n] read
    buffer    y : f32[n] write
    buffer    grad_x : f32[n] read_write
    buffer    grad_y : f32[n] read

    if global_id.x < n {
      var s = 0.0
      let x1 = x[global_id.x]
      for j in 0 .. n {
        if j != global_id.x {
          s += tanh(x1 - x[j])
        }
      }
      y[global_id.x] = s
      var grad_x_1 = 0.0
      let grad_y1 = grad_y[global_id.x]
      for j_1 in 0 .. n {
        if j_1 != global_id.x {
          let t1 = exp(-abs(x1 - x[j_1]))
          let t2 = 2.0 * t1 / (1.0 + t1 * t1)
          let t3 = mulz(grad_y1, t2 * t2)
          grad_x_1 += t3
          atomic_add(grad_x[j_1], -t3)
        }
      }
      atomic_add(grad_x[global_id.x], grad_x_1)
    }
  }

  program zero_f32 {
    workgroup 256
    buffer    a : f32[] write

    for i in global_id.x .. len(a) step num_workgroups.x * 256 {
      a[i] = 0.0
    }
  }

  run zero_f32(a = grad_x) grid min((n + 255) / 256, 65535)
  run pairs_grad
}
