;;; TOOL: kgrad prim softmax --param rows=5 --param cols=100
;;; STDOUT:
program softmax {
  const     T = 64
  const     LOG_T = 6
  workgroup T
  grid      min(n_rows, 65535), (n_rows + 65534) / 65535
  param     n_rows : u32 = 5 in 0 .. 16777217
  param     n_cols : u32 = 100 in 0 .. 16777217
  buffer    x : f32[n_rows, n_cols] read
  buffer    y : f32[n_rows, n_cols] write
  shared    peak : f32[T]
  shared    part : f32[T]

  let row = workgroup_id.y * 65535 + workgroup_id.x
  let has_row = workgroup_id.x < 65535 && workgroup_id.y < 65536 && row < n_rows
  if has_row {
    var best = -inf
    for j in local_id.x .. n_cols step T {
      best = max(best, stop_gradient(x[row, j]))
    }
    peak[local_id.x] = stop_gradient(best)
    barrier
    for k in 0 .. LOG_T {
      let half = T >> k + 1
      if local_id.x < half {
        peak[local_id.x] = max(peak[local_id.x], peak[local_id.x + half])
      }
      barrier
    }
    let top = peak[0]
    var sum = 0.0
    for j in local_id.x .. n_cols step T {
      sum += exp(x[row, j] - top)
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
      y[row, j] = exp(x[row, j] - top) / total
    }
  }
}
