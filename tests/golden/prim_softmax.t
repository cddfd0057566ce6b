;;; TOOL: kgrad prim softmax --param rows=5 --param cols=100
;;; STDOUT:
program softmax {
  const     T = 64
  const     LOG_T = 6
  workgroup T
  grid      n_rows
  param     n_rows : u32 = 5
  param     n_cols : u32 = 100
  buffer    x : f32[n_rows, n_cols] read
  buffer    y : f32[n_rows, n_cols] write
  shared    part : f32[T]

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
  let part1 = part[0]
  barrier
  let top = stop_gradient(part1)
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
  barrier
  for j in local_id.x .. n_cols step T {
    y[workgroup_id.x, j] = exp(x[workgroup_id.x, j] - top) / total
  }
}
