;;; TOOL: kgrad grad k.kg --bind grad_x=1.4
;;; FILE: k.kg
program k {
  workgroup 64
  grid invocations n
  param n : u32
  buffer x : f32[n] read
  buffer y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = x[i] * x[i] }
}
;;; STDOUT:
program k_grad {
  workgroup 64
  grid      invocations n
  param     n : u32
  buffer    x : f32[n] read view(set 0, binding 0, offset 0, stride 4)
  buffer    y : f32[n] write view(set 0, binding 1, offset 0, stride 4)
  buffer    grad_x : f32[n] write view(set 1, binding 4, offset 0, stride 4)
  buffer    grad_y : f32[n] read view(set 0, binding 2, offset 0, stride 4)

  if global_id.x < n {
    let x1 = x[global_id.x]
    y[global_id.x] = x1 * x1
    let t1 = mulz(grad_y[global_id.x], x1)
    grad_x[global_id.x] = t1 + t1
  }
}
