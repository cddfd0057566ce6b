;;; TOOL: kgrad prim kfac_inverse --param n=8 --param blocks=3 --param damping=0.01
;;; STDOUT:
program kfac_inverse {
  const     T = 64
  const     N = 8
  workgroup T
  grid      n_blocks
  param     n_blocks : u32 = 3
  param     damping : f32 = 0.01
  buffer    a : f32[n_blocks * (N * N)] read
  buffer    inverse : f32[n_blocks * (N * N)] write
  buffer    status : u32[n_blocks] write
  shared    s : f32[N * N]

  let base = workgroup_id.x * (N * N)
  var bad : u32 = 0
  for e in local_id.x .. N * N step T {
    let row = e / N
    let column = e % N
    s[e] = a[base + e] + select(row == column, damping, 0.0)
  }
  barrier
  for j in 0 .. N {
    for i in local_id.x .. N step T {
      if i >= j {
        var sum = s[i * N + j]
        for l in 0 .. j {
          sum -= s[i * N + l] * s[j * N + l]
        }
        s[i * N + j] = sum
      }
    }
    barrier
    let pivot = s[j * N + j]
    if bad == 0 && !(pivot > 0.0 && pivot < inf) {
      bad = j + 1
    }
    let scale = 1.0 / sqrt(pivot)
    for i in local_id.x .. N step T {
      if i > j {
        let place = i * N + j
        s[place] *= scale
      }
    }
    barrier
    if local_id.x == 0 {
      s[j * N + j] = scale
    }
  }
  barrier
  for j in local_id.x .. N step T {
    for i in j + 1 .. N {
      var sum = 0.0
      for l in j .. i {
        sum += s[i * N + l] * s[j * N + l]
      }
      s[j * N + i] = -sum * s[i * N + i]
    }
  }
  barrier
  for e in local_id.x .. N * N step T {
    let row = e / N
    let column = e % N
    var sum = 0.0
    for l in max(row, column) .. N {
      sum += s[row * N + l] * s[column * N + l]
    }
    inverse[base + e] = select(bad == 0, sum, 0.0)
  }
  if local_id.x == 0 {
    status[workgroup_id.x] = bad
  }
}
