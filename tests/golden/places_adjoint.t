;;; TOOL: kgrad grad {in} --of c --wrt a
// The adjoint has the shape of what it differentiates, and each access indices of its own. Rows that differ add without atomics.
program p {
  workgroup 8
  grid invocations m
  param m : u32 = 5
  param n : u32 = 4
  buffer a : f32[m, n] read
  buffer b : f32[n] read
  buffer c : f32[m, n] write
  for j in 0 .. n { c[global_id.x, j] = a[global_id.x, j] * a[global_id.x, n - 1 - j] * b[j] }
}
;;; STDOUT:
module p_grad {
  param  m : u32 = 5
  param  n : u32 = 4
  buffer a : f32[m, n] read
  buffer b : f32[n] read
  buffer c : f32[m, n] write
  buffer grad_a : f32[m, n] write
  buffer grad_c : f32[m, n] read

  program p_grad {
    workgroup 8
    grid      invocations m
    param     m : u32 = 5
    param     n : u32 = 4
    buffer    a : f32[m, n] read
    buffer    b : f32[n] read
    buffer    c : f32[m, n] write
    buffer    grad_a : f32[m, n] read_write
    buffer    grad_c : f32[m, n] read

    let t1 = n - 1
    for j in 0 .. n {
      let a1 = a[global_id.x, j]
      let t2 = t1 - j
      let a2 = a[global_id.x, t2]
      let t3 = a1 * a2
      let b1 = b[j]
      c[global_id.x, j] = t3 * b1
      let t4 = mulz(grad_c[global_id.x, j], b1)
      let t5 = mulz(t4, a2)
      let t6 = mulz(t4, a1)
      grad_a[global_id.x, t2] += t6
      grad_a[global_id.x, j] += t5
    }
  }

  program zero_f32 {
    workgroup 256
    buffer    a : f32[] write

    for i in global_id.x .. len(a) step num_workgroups.x * 256 {
      a[i] = 0.0
    }
  }

  run zero_f32(a = grad_a) grid min((m * n + 255) / 256, 65535)
  run p_grad
}
