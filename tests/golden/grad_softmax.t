;;; TOOL: kgrad grad {src}/examples/softmax.kg
;;; STDOUT:
program softmax_grad {
  const     T = 64
  const     LOG_T = 6
  workgroup T
  grid      n_rows
  param     n_rows : u32 = 5
  param     n_cols : u32 = 100
  buffer    x : f32[n_rows, n_cols] read in -4.0 .. 4.0
  buffer    y : f32[n_rows, n_cols] write
  buffer    grad_x : f32[n_rows, n_cols] write
  buffer    grad_y : f32[n_rows, n_cols] read
  shared    part : f32[T]
  shared    grad_part : f32[T]

  grad_part[local_id.x] = 0.0
  var best = -inf
  for j in local_id.x .. n_cols step T {
    best = max(best, stop_gradient(x[workgroup_id.x, j]))
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
    sum += exp(x[workgroup_id.x, j] - top)
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
  var grad_total = 0.0
  let t1 = 1.0 / total
  for j in local_id.x .. n_cols step T {
    let t2 = exp(x[workgroup_id.x, j] - top) / total
    y[workgroup_id.x, j] = t2
    let t3 = mulz(grad_y[workgroup_id.x, j], -t2 / total)
    grad_total += t3
  }
  atomic_add(grad_part[0], grad_total)
  if T == 64 && LOG_T == 6 {
    barrier
    let grad_part1 = grad_part[u32(0)]
    barrier
    grad_part[local_id.x] = grad_part1
  } else {
    for k_1 in 0 .. LOG_T reversed {
      let half_1 = T >> k_1 + 1
      let c1 = local_id.x < half_1
      barrier
      if c1 {
        let t4 = local_id.x + half_1
        let grad_part2 = grad_part[local_id.x]
        grad_part[t4] += grad_part2
      }
    }
  }
  barrier
  let grad_part3 = grad_part[local_id.x]
  for j_2 in local_id.x .. n_cols step T {
    let t5 = exp(x[workgroup_id.x, j_2] - top)
    let t6 = mulz(grad_part3, t5)
    grad_x[workgroup_id.x, j_2] = mulz(mulz(grad_y[workgroup_id.x, j_2], t1), t5) + t6
  }
}
