;;; TOOL: kgrad grad {in} --of y --wrt x
// Each element's gradient is stored once, in the last of the nests, and the cotangent is not zeroed.
program nests {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  param     m : u32 = 4
  param     l : u32 = 10
  buffer    x : f32[n, m, l] read
  buffer    w : f32[m] read
  buffer    y : f32[n, m, l] write

  let i = global_id.x
  if i < n {
    var sum = 0.0
    for k in 0 .. m { for j in 0 .. l { sum += x[i, k, j] } }
    let mean = sum / f32(m * l)
    var squares = 0.0
    for k in 0 .. m { for j in 0 .. l { squares += (x[i, k, j] - mean) * (x[i, k, j] - mean) } }
    for k in 0 .. m { for j in 0 .. l { y[i, k, j] = (x[i, k, j] - mean) * squares * w[k] } }
  }
}
;;; STDOUT:
program nests_grad {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  param     m : u32 = 4
  param     l : u32 = 10
  buffer    x : f32[n, m, l] read
  buffer    w : f32[m] read
  buffer    y : f32[n, m, l] write
  buffer    grad_x : f32[n, m, l] write
  buffer    grad_y : f32[n, m, l] read

  if global_id.x < n {
    var sum = 0.0
    for k in 0 .. m {
      for j in 0 .. l {
        sum += x[global_id.x, k, j]
      }
    }
    let sum1 = sum
    let t1 = f32(m * l)
    let mean = sum1 / t1
    var squares = 0.0
    for k in 0 .. m {
      for j in 0 .. l {
        let squares1 = squares
        let t2 = x[global_id.x, k, j] - mean
        squares = squares1 + t2 * t2
      }
    }
    let squares2 = squares
    var grad_squares = 0.0
    var grad_mean = 0.0
    for k in 0 .. m {
      let w1 = w[k]
      for j in 0 .. l {
        let t3 = x[global_id.x, k, j] - mean
        y[global_id.x, k, j] = t3 * squares2 * w1
        let t4 = mulz(grad_y[global_id.x, k, j], w1)
        let t5 = mulz(t4, squares2)
        let t6 = mulz(t4, t3)
        grad_squares += t6
        grad_mean -= t5
      }
    }
    let grad_squares1 = grad_squares
    let c1 = 0 < l
    for k_2 in 0 .. m {
      var sum_2 = 0.0
      for j_2 in 0 .. l {
        let t7 = x[global_id.x, k_2, j_2] - mean
        let t8 = t7 + t7
        sum_2 += t8
      }
      grad_mean -= select(c1, mulz(grad_squares1, sum_2), 0.0)
    }
    let t9 = mulz(grad_mean, 1.0 / t1)
    for k_3 in 0 .. m {
      let w2 = w[k_3]
      for j_3 in 0 .. l {
        let t10 = mulz(mulz(grad_y[global_id.x, k_3, j_3], w2), squares2)
        let t11 = mulz(grad_squares1, x[global_id.x, k_3, j_3] - mean)
        grad_x[global_id.x, k_3, j_3] = t10 + (t11 + t11) + t9
      }
    }
  }
}
