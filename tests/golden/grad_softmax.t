;;; TOOL: kgrad grad {src}/examples/softmax.kg
;;; STDOUT:
module softmax_grad {
  param  n_rows : u32 = 5
  param  n_cols : u32 = 100
  buffer x : f32[n_rows * n_cols] read in -4.0 .. 4.0
  buffer y : f32[n_rows * n_cols] write
  buffer grad_x : f32[n_rows * n_cols] write
  buffer grad_y : f32[n_rows * n_cols] read

  program softmax_grad {
    const     T = 64
    const     LOG_T = 6
    workgroup T
    grid      n_rows
    param     n_rows : u32 = 5
    param     n_cols : u32 = 100
    buffer    x : f32[n_rows * n_cols] read in -4.0 .. 4.0
    buffer    y : f32[n_rows * n_cols] write
    buffer    grad_x : f32[n_rows * n_cols] read_write
    buffer    grad_y : f32[n_rows * n_cols] read
    shared    part : f32[T]
    shared    grad_part : f32[T]

    for k_1 in local_index .. len(grad_part) step workgroup_size.x {
      grad_part[k_1] = 0.0
    }
    barrier
    let base = workgroup_id.x * n_cols
    var best = -inf
    for j in local_id.x .. n_cols step T {
      best = max(best, stop_gradient(x[base + j]))
    }
    part[local_id.x] = best
    barrier
    for k in 0 .. LOG_T {
      let half = T >> k + 1
      if local_id.x < half {
        part[local_id.x] = max(part[local_id.x], part[local_id.x + half])
      }
      barrier
    }
    let top = stop_gradient(part[0])
    barrier
    var sum = 0.0
    for j in local_id.x .. n_cols step T {
      sum += exp(x[base + j] - top)
    }
    part[local_id.x] = sum
    barrier
    for k in 0 .. LOG_T {
      let half = T >> k + 1
      if local_id.x < half {
        part[local_id.x] += part[local_id.x + half]
      }
      barrier
    }
    let total = part[0]
    for j in local_id.x .. n_cols step T {
      let t1 = base + j
      y[t1] = exp(x[t1] - top) / total
    }
    var grad_total = 0.0
    let t2 = 1.0 / total
    for j_1 in local_id.x .. n_cols step T reversed {
      let t3 = base + j_1
      let t4 = exp(x[t3] - top)
      let t5 = t4 / total
      let grad_y1 = grad_y[t3]
      let t6 = mulz(grad_y1, t2)
      let t7 = mulz(grad_y1, -t5 / total)
      grad_total += t7
      grad_x[t3] = mulz(t6, t4)
    }
    atomic_add(grad_part[0], grad_total)
    for k_2 in 0 .. LOG_T reversed {
      let half_1 = T >> k_2 + 1
      let c1 = local_id.x < half_1
      barrier
      if c1 {
        let t8 = local_id.x + half_1
        let grad_part1 = grad_part[local_id.x]
        grad_part[local_id.x] = 0.0
        grad_part[t8] += grad_part1
        grad_part[local_id.x] += grad_part1
      }
    }
    barrier
    let grad_part2 = grad_part[local_id.x]
    for j_2 in local_id.x .. n_cols step T reversed {
      let t9 = base + j_2
      let t10 = mulz(grad_part2, exp(x[t9] - top))
      grad_x[t9] += t10
    }
    barrier
  }

  run softmax_grad
}
