;;; TOOL: kgrad prim kfac_inverse --param n=8 --param blocks=3 --param damping=0.01
;;; STDOUT:
module kfac_inverse {
  param  n_blocks : u32 = 3 in 0 .. 65536
  param  damping : f32 = 0.01 in 0 .. 1.00000009e30
  buffer a : f32[n_blocks, 8, 8] read drawn definite
  buffer inverse : f32[n_blocks, 8, 8] write
  buffer status : u32[n_blocks] write

  program invert adjoint invert_back {
    const     T = 64
    const     N = 8
    workgroup T
    grid      n_blocks
    param     n_blocks : u32
    param     damping : f32
    buffer    a : f32[n_blocks, N, N] read
    buffer    inverse : f32[n_blocks, N, N] write
    buffer    status : u32[n_blocks] write
    shared    s : f32[N, N]

    var bad : u32 = 0
    for e in local_id.x .. N * N step T {
      let row = e / N
      let column = e % N
      s[row, column] = a[workgroup_id.x, row, column] + select(row == column, damping, 0.0)
    }
    barrier
    for j in 0 .. N {
      for i in local_id.x .. N step T {
        if i >= j {
          var sum = s[i, j]
          for l in 0 .. j {
            sum -= s[i, l] * s[j, l]
          }
          s[i, j] = sum
        }
      }
      barrier
      let pivot = s[j, j]
      if bad == 0 && !(pivot > 0.0 && pivot < inf) {
        bad = j + 1
      }
      let scale = 1.0 / sqrt(pivot)
      for i in local_id.x .. N step T {
        if i > j {
          s[i, j] *= scale
        }
      }
      barrier
      if local_id.x == 0 {
        s[j, j] = scale
      }
    }
    barrier
    for j in local_id.x .. N step T {
      for i in j + 1 .. N {
        var sum = 0.0
        for l in j .. i {
          sum += s[i, l] * s[j, l]
        }
        s[j, i] = -sum * s[i, i]
      }
    }
    barrier
    for e in local_id.x .. N * N step T {
      let row = e / N
      let column = e % N
      var sum = 0.0
      for l in max(row, column) .. N {
        sum += s[row, l] * s[column, l]
      }
      inverse[workgroup_id.x, row, column] = select(bad == 0, sum, 0.0)
    }
    if local_id.x == 0 {
      status[workgroup_id.x] = bad
    }
  }

  program invert_back {
    const     T = 64
    const     N = 8
    workgroup T
    grid      n_blocks
    param     n_blocks : u32
    param     damping : f32
    buffer    grad_damping : f32[1] read_write
    buffer    inverse : f32[n_blocks, N, N] read
    buffer    grad_a : f32[n_blocks, N, N] read_write
    buffer    grad_inverse : f32[n_blocks, N, N] read_write

    for row in local_id.x .. N step T {
      var g : f32[N]
      for l in 0 .. N {
        g[l] = grad_inverse[workgroup_id.x, row, l]
      }
      for column in 0 .. N {
        var sum = 0.0
        for l in 0 .. N {
          sum += g[l] * inverse[workgroup_id.x, l, column]
        }
        grad_inverse[workgroup_id.x, row, column] = sum
      }
    }
    barrier
    for e in local_id.x .. N * N step T {
      let row = e / N
      let column = e % N
      if row > column {
        var sum = 0.0
        for l in 0 .. N {
          sum += inverse[workgroup_id.x, row, l] * grad_inverse[workgroup_id.x, l, column]
          sum += inverse[workgroup_id.x, column, l] * grad_inverse[workgroup_id.x, l, row]
        }
        grad_a[workgroup_id.x, row, column] -= sum
      }
    }
    barrier
    for row in local_id.x .. N step T {
      var sum = 0.0
      for l in 0 .. N {
        sum += inverse[workgroup_id.x, row, l] * grad_inverse[workgroup_id.x, l, row]
      }
      grad_a[workgroup_id.x, row, row] -= sum
      grad_inverse[workgroup_id.x, row, row] = sum
    }
    barrier
    if local_id.x == 0 {
      var trace = 0.0
      for l in 0 .. N {
        trace += grad_inverse[workgroup_id.x, l, l]
      }
      atomic_add(grad_damping[0], -trace)
    }
    barrier
    for e in local_id.x .. N * N step T {
      grad_inverse[workgroup_id.x, e / N, e % N] = 0.0
    }
  }

  run invert
}
