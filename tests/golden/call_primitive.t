;;; TOOL: kgrad show {in}
// A program of the library, a module of a file that uses one too, slices and temporaries.
module net {
  param  rows : u32 = 5
  param  classes : u32 = 3
  buffer x : f32[2 * rows, classes] read
  buffer p : f32[2 * rows, classes] write
  use primitive softmax(workgroup = 1) as share
  use "scale.kg" as scale
  repeat half in 0 .. 2 {
    run scale(y = p[half * rows * classes .. (half + 1) * rows * classes], by = 2.0, n = rows * classes)
  }
  run share(x = x[0 .. rows * classes], y = p[0 .. rows * classes], n_rows = rows, n_cols = classes)
}
;;; FILE: scale.kg
module scale {
  param  n : u32
  param  by : f32
  buffer x : f32[] read
  buffer y : f32[] write
  buffer kept : f32[len(y)] temp
  use "lib/once.kg" as once
  run once(y = kept, by = by) invocations n
  run once(x = kept[0 .. n], y = y, by = 0.5) invocations len(kept)
}
;;; FILE: lib/once.kg
program anything {
  workgroup 4
  param  by : f32
  buffer x : f32[] read
  buffer y : f32[] write
  if global_id.x < len(y) { y[global_id.x] = by * x[global_id.x] }
}
;;; STDOUT:
module net {
  param  rows : u32 = 5
  param  classes : u32 = 3
  buffer x : f32[2 * rows, classes] read
  buffer p : f32[2 * rows, classes] write
  buffer scale_kept : f32[rows * classes] temp

  program share {
    const     T = 1
    const     LOG_T = 0
    workgroup T
    grid      min(n_rows, 65535), (n_rows + 65534) / 65535
    param     n_rows : u32 = 3 in 0 .. 16777217
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

  program scale_once {
    workgroup 4
    param     by : f32
    buffer    x : f32[] read
    buffer    y : f32[] write

    if global_id.x < len(y) {
      y[global_id.x] = by * x[global_id.x]
    }
  }

  repeat half in 0 .. 2 {
    run scale_once(y = scale_kept, by = 2.0) invocations rows * classes
    run scale_once(x = scale_kept[0 .. rows * classes], y = p[half * rows * classes .. (half + 1) * rows * classes], by = 0.5) invocations len(scale_kept)
  }
  run share(x = x[0 .. rows * classes], y = p[0 .. rows * classes], n_rows = rows, n_cols = classes)
}
