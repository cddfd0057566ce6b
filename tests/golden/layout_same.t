;;; TOOL: kgrad grad k.kg --layout same --bind grad_x=1.4
;;; FILE: k.kg
program k {
  workgroup 64
  grid invocations n
  param n : u32
  buffer x : f32[n] read view(set 0, binding 0, offset 0, stride 8)
  buffer z : f32[n] read view(set 0, binding 0, offset 4, stride 8)
  buffer y : f32[n] write view(set 0, binding 1, offset 0, stride 4)
  let i = global_id.x
  if i < n { y[i] = f32(x[i]) * f32(z[i]) }
}
;;; STDOUT:
module k_grad {
  param  n : u32
  buffer x : f32[n] read view(set 0, binding 0, offset 0, stride 8)
  buffer z : f32[n] read view(set 0, binding 0, offset 4, stride 8)
  buffer y : f32[n] write view(set 0, binding 1, offset 0, stride 4)
  buffer grad_x : f32[n] write view(set 1, binding 4, offset 0, stride 8)
  buffer grad_z : f32[n] write view(set 1, binding 4, offset 4, stride 8)
  buffer grad_y : f32[n] read view(set 0, binding 2, offset 0, stride 4)

  program k_grad {
    workgroup 64
    grid      invocations n
    param     n : u32
    buffer    x : f32[n] read view(set 0, binding 0, offset 0, stride 8)
    buffer    z : f32[n] read view(set 0, binding 0, offset 4, stride 8)
    buffer    y : f32[n] write view(set 0, binding 1, offset 0, stride 4)
    buffer    grad_x : f32[n] read_write view(set 1, binding 4, offset 0, stride 8)
    buffer    grad_z : f32[n] read_write view(set 1, binding 4, offset 4, stride 8)
    buffer    grad_y : f32[n] read view(set 0, binding 2, offset 0, stride 4)

    if global_id.x < n {
      let x1 = x[global_id.x]
      let z1 = z[global_id.x]
      y[global_id.x] = x1 * z1
      let grad_y1 = grad_y[global_id.x]
      let t1 = mulz(grad_y1, z1)
      let t2 = mulz(grad_y1, x1)
      grad_z[global_id.x] += t2
      grad_x[global_id.x] += t1
    }
  }

  program zero_2_f32 {
    workgroup 256
    buffer    a : f32[] write view(set 1, binding 4, offset 0, stride 8)
    buffer    b : f32[] write view(set 1, binding 4, offset 4, stride 8)

    for i in global_id.x .. len(a) step num_workgroups.x * 256 {
      a[i] = 0.0
    }
    for i in global_id.x .. len(b) step num_workgroups.x * 256 {
      b[i] = 0.0
    }
  }

  run zero_2_f32(a = grad_x, b = grad_z) grid min((n + 255) / 256, 65535)
  run k_grad
}
