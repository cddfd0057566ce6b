;;; TOOL: kgrad grad {in} --mode split
// Nothing has to be kept: the kernel runs forward as it is, and what follows it is the adjoint.
program square {
  workgroup 64
  param     n : u32 = 1000
  grid      invocations n
  buffer    x : f32[n] read
  buffer    y : f32[n] write

  let i = global_id.x
  if i < n {
    y[i] = x[i] * x[i]
  }
}
;;; STDOUT:
program square {
  workgroup 64
  grid      invocations n
  param     n : u32 = 1000
  buffer    x : f32[n] read
  buffer    y : f32[n] write

  if global_id.x < n {
    y[global_id.x] = x[global_id.x] * x[global_id.x]
  }
}
program square_grad {
  workgroup 64
  grid      invocations n
  param     n : u32 = 1000
  buffer    x : f32[n] read
  buffer    grad_x : f32[n] write
  buffer    grad_y : f32[n] read

  if global_id.x < n {
    let x1 = x[global_id.x]
    let t1 = mulz(grad_y[global_id.x], x1)
    grad_x[global_id.x] = t1 + t1
  }
}
