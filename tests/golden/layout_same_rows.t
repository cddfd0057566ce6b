;;; TOOL: kgrad grad k.kg --layout same
;;; FILE: k.kg
// By hand: an array in a struct of four words has rows of three, and so has its shadow, which leaves the fourth to the shadow of m.
program k {
  workgroup 64
  grid invocations n
  param n : u32
  buffer p : f32[n, 3] read view(set 0, binding 0, offset 0, stride 4, row 3 every 16)
  buffer m : f32[n] read view(set 0, binding 0, offset 12, stride 16)
  buffer y : f32[n] write view(set 0, binding 1, offset 0, stride 4)
  let i = global_id.x
  if i < n { y[i] = p[i, 0] * p[i, 2] * m[i] }
}
;;; STDOUT:
module k_grad {
  param  n : u32
  buffer p : f32[n, 3] read view(set 0, binding 0, offset 0, stride 4, row 3 every 16)
  buffer m : f32[n] read view(set 0, binding 0, offset 12, stride 16)
  buffer y : f32[n] write view(set 0, binding 1, offset 0, stride 4)
  buffer grad_p : f32[n, 3] write view(set 0, binding 2, offset 0, stride 4, row 3 every 16)
  buffer grad_m : f32[n] write view(set 0, binding 2, offset 12, stride 16)
  buffer grad_y : f32[n] read view(set 0, binding 3, offset 0, stride 4)

  program k_grad {
    workgroup 64
    grid      invocations n
    param     n : u32
    buffer    p : f32[n, 3] read view(set 0, binding 0, offset 0, stride 4, row 3 every 16)
    buffer    m : f32[n] read view(set 0, binding 0, offset 12, stride 16)
    buffer    y : f32[n] write view(set 0, binding 1, offset 0, stride 4)
    buffer    grad_p : f32[n, 3] read_write view(set 0, binding 2, offset 0, stride 4, row 3 every 16)
    buffer    grad_m : f32[n] read_write view(set 0, binding 2, offset 12, stride 16)
    buffer    grad_y : f32[n] read view(set 0, binding 3, offset 0, stride 4)

    if global_id.x < n {
      let p1 = p[global_id.x, 0]
      let p2 = p[global_id.x, 2]
      let t1 = p1 * p2
      let m1 = m[global_id.x]
      y[global_id.x] = t1 * m1
      let grad_y1 = grad_y[global_id.x]
      let t2 = mulz(grad_y1, m1)
      let t3 = mulz(grad_y1, t1)
      grad_m[global_id.x] += t3
      let t4 = mulz(t2, p2)
      let t5 = mulz(t2, p1)
      grad_p[global_id.x, 2] += t5
      grad_p[global_id.x, 0] += t4
    }
  }

  program zero_2_f32 {
    workgroup 256
    buffer    a : f32[] write view(set 0, binding 2, offset 0, stride 4, row 3 every 16)
    buffer    b : f32[] write view(set 0, binding 2, offset 12, stride 16)

    for i in global_id.x .. len(a) step num_workgroups.x * 256 {
      a[i] = 0.0
    }
    for i in global_id.x .. len(b) step num_workgroups.x * 256 {
      b[i] = 0.0
    }
  }

  run zero_2_f32(a = grad_p, b = grad_m) grid min(max((n * 3 + 255) / 256, (n + 255) / 256), 65535)
  run k_grad
}
