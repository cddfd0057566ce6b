;;; TOOL: kgrad grad k.kg --layout kept
;;; FILE: k.kg
// The shadows of views that overlap lie in a block of their own, which is at a binding that nothing else has: neither y, which lies
// at 1 as the primal's one plain buffer, nor any other.
program k {
  workgroup 8
  grid 1
  buffer p : f32[8] read view(set 0, binding 0, offset 0, stride 4)
  buffer z : f32[4] read_write view(set 0, binding 0, offset 16, stride 4)
  buffer y : f32[4] write
  let i = global_id.x
  if i < 4 {
    z[i] = p[i] * z[i]
    y[i] = z[i]
  }
}
;;; STDOUT:
module k_grad {
  buffer p : f32[8] read view(set 0, binding 0, offset 0, stride 4)
  buffer z : f32[4] read_write view(set 0, binding 0, offset 16, stride 4)
  buffer y : f32[4] write view(set 0, binding 1, offset 0, stride 4)
  buffer grad_p : f32[8] write view(set 0, binding 2, offset 0, stride 4)
  buffer inner_grad_p : f32[8] temp view(set 0, binding 3, offset 0, stride 4)
  buffer grad_z : f32[4] read_write view(set 0, binding 4, offset 0, stride 4)
  buffer inner_grad_z : f32[4] temp view(set 0, binding 3, offset 16, stride 4)
  buffer grad_y : f32[4] read view(set 0, binding 5, offset 0, stride 4)

  program k_grad {
    workgroup 8
    grid      1
    buffer    p : f32[8] read view(set 0, binding 0, offset 0, stride 4)
    buffer    z : f32[4] read_write view(set 0, binding 0, offset 16, stride 4)
    buffer    y : f32[4] write view(set 0, binding 1, offset 0, stride 4)
    buffer    grad_p : f32[8] read_write view(set 0, binding 3, offset 0, stride 4)
    buffer    grad_z : f32[4] read_write view(set 0, binding 3, offset 16, stride 4)
    buffer    grad_y : f32[4] read view(set 0, binding 5, offset 0, stride 4)

    if global_id.x < 4 {
      let p1 = p[global_id.x]
      let z1 = z[global_id.x]
      z[global_id.x] = p1 * z1
      y[global_id.x] = z[global_id.x]
      let grad_y1 = grad_y[global_id.x]
      grad_z[global_id.x] += grad_y1
      let grad_z1 = grad_z[global_id.x]
      grad_z[global_id.x] = 0.0
      let t1 = mulz(grad_z1, z1)
      let t2 = mulz(grad_z1, p1)
      grad_z[global_id.x] += t2
      atomic_add(grad_p[global_id.x], t1)
    }
  }

  program zero_inner_grad_p {
    workgroup 256
    buffer    to : f32[] write view(set 0, binding 3, offset 0, stride 4)

    for i in global_id.x .. len(to) step num_workgroups.x * 256 {
      to[i] = 0.0
    }
  }

  program zero_inner_grad_z {
    workgroup 256
    buffer    to : f32[] write view(set 0, binding 3, offset 16, stride 4)

    for i in global_id.x .. len(to) step num_workgroups.x * 256 {
      to[i] = 0.0
    }
  }

  program add_to_inner_grad_z {
    workgroup 256
    buffer    to : f32[] read_write view(set 0, binding 3, offset 16, stride 4)
    buffer    from : f32[] read view(set 0, binding 4, offset 0, stride 4)

    for i in global_id.x .. len(to) step num_workgroups.x * 256 {
      to[i] += from[i]
    }
  }

  program take_grad_z {
    workgroup 256
    buffer    to : f32[] write view(set 0, binding 4, offset 0, stride 4)
    buffer    from : f32[] read_write view(set 0, binding 3, offset 16, stride 4)

    for i in global_id.x .. len(to) step num_workgroups.x * 256 {
      to[i] = from[i]
      from[i] = 0.0
    }
  }

  program take_grad_p {
    workgroup 256
    buffer    to : f32[] write view(set 0, binding 2, offset 0, stride 4)
    buffer    from : f32[] read view(set 0, binding 3, offset 0, stride 4)

    for i in global_id.x .. len(to) step num_workgroups.x * 256 {
      to[i] = from[i]
    }
  }

  run zero_inner_grad_p(to = inner_grad_p) grid 1
  run zero_inner_grad_z(to = inner_grad_z) grid 1
  run add_to_inner_grad_z(to = inner_grad_z, from = grad_z) grid 1
  run k_grad(grad_p = inner_grad_p, grad_z = inner_grad_z)
  run take_grad_z(to = grad_z, from = inner_grad_z) grid 1
  run take_grad_p(to = grad_p, from = inner_grad_p) grid 1
}
