;;; TOOL: kgrad grad {in} --of y --wrt x
program folded {
  workgroup 1
  grid      1
  buffer    x : f32[1] read
  buffer    y : f32[1] write
  var s = x[0]
  for k in 0 .. 5 step (i32(1) - i32(2)) { s += x[0] * x[0] }
  y[0] = s
}
;;; STDOUT:
program folded_grad {
  workgroup 1
  grid      1
  buffer    x : f32[1] read
  buffer    y : f32[1] write
  buffer    grad_x : f32[1] write
  buffer    grad_y : f32[1] read

  let x1 = x[0]
  var s = x1
  let t1 = x1 * x1
  for k in 0 .. 5 step -1 {
    s += t1
  }
  y[0] = s
  var grad_value = 0.0
  let grad_y1 = grad_y[0]
  for k_1 in 0 .. 5 step -1 {
    grad_value += grad_y1
  }
  let t2 = mulz(grad_value, x1)
  grad_x[0] = t2 + t2 + grad_y1
}
