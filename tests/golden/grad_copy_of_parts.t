;;; TOOL: kgrad grad {in} --explain
// Two states in one buffer, by turns: each round loads four neighbours, so that a copy of the half that it loads takes less than a tape.
module ping_pong_slices {
  param n : u32 = 11
  param T : u32 = 5
  buffer x : f32[2 * n] read_write

  program step {
    workgroup 8
    param n : u32
    buffer a : f32[n] read
    buffer b : f32[n] write
    let i = global_id.x
    if i >= n { return }
    b[i] = 0.5 * sin(a[i]) + a[(i + 1) % n] * a[(i + 2) % n] + 0.25 * sin(a[(i + 3) % n])
  }

  repeat t in 0 .. T { run step(a = x[t % 2 * n .. (t % 2 + 1) * n], b = x[(t + 1) % 2 * n .. ((t + 1) % 2 + 1) * n], n = n) invocations n }
}
;;; STDOUT:
module ping_pong_slices_grad {
  param  n : u32 = 11
  param  T : u32 = 5
  buffer x : f32[2 * n] read_write
  buffer grad_x : f32[2 * n] read_write
  buffer copy_x : f32[max(T, 0) * n] temp

  program step {
    workgroup 8
    param     n : u32
    buffer    a : f32[n] read
    buffer    b : f32[n] write

    if global_id.x >= n {
      return
    }
    b[global_id.x] = 0.5 * sin(a[global_id.x]) + a[(global_id.x + 1) % n] * a[(global_id.x + 2) % n] + 0.25 * sin(a[(global_id.x + 3) % n])
  }

  program step_grad {
    workgroup 8
    param     n : u32
    buffer    a : f32[n] read
    buffer    grad_a : f32[n] read_write
    buffer    grad_b : f32[n] read_write

    if global_id.x < n {
      let a1 = a[global_id.x]
      let t1 = (global_id.x + 1) % n
      let a2 = a[t1]
      let t2 = (global_id.x + 2) % n
      let a3 = a[t2]
      let t3 = (global_id.x + 3) % n
      let a4 = a[t3]
      let grad_b1 = grad_b[global_id.x]
      grad_b[global_id.x] = 0.0
      atomic_add(grad_a[t3], mulz(grad_b1 * 0.25, cos(a4)))
      let t4 = mulz(grad_b1, a3)
      atomic_add(grad_a[t2], mulz(grad_b1, a2))
      atomic_add(grad_a[t1], t4)
      atomic_add(grad_a[global_id.x], mulz(grad_b1 * 0.5, cos(a1)))
    }
  }

  program copy_f32 {
    workgroup 256
    buffer    to : f32[] write
    buffer    from : f32[] read

    for i in global_id.x .. len(to) step num_workgroups.x * 256 {
      to[i] = from[i]
    }
  }

  repeat t in 0 .. T {
    run copy_f32(to = copy_x[t * n .. (t + 1) * n], from = x[t % 2 * n .. (t % 2 + 1) * n]) grid min((n + 255) / 256, 65535)
    run step(a = x[t % 2 * n .. (t % 2 + 1) * n], b = x[(t + 1) % 2 * n .. ((t + 1) % 2 + 1) * n]) invocations n
  }
  repeat t in 0 .. T reversed {
    run step_grad(a = copy_x[t * n .. (t + 1) * n], grad_a = grad_x[t % 2 * n .. (t % 2 + 1) * n], grad_b = grad_x[(t + 1) % 2 * n .. ((t + 1) % 2 + 1) * n]) invocations n
  }
}
;;; STDERR:
grad_x: cotangent on entry, gradient on exit of x; invocations add to it atomically
run of step, line 17: an adjoint of its own; active: a, b
  line 14: a: recomputed in the reverse of line 13: from a copy made before the run
  shadow of a: added to atomically: what one invocation loads in line 14 another one may load in line 14
copy_x: a copy of x, f32[max(T, 0) * n], 220 bytes
what would help in the run of step, with --param or --grid:
  shadow of a: no value of params that was tried makes it plain
