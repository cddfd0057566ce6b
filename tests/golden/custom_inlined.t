;;; TOOL: kgrad grad {in}
// A product, whose derivative is stated, is printed as what it computes with what is stated; the gradient takes that.
program p {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read
  buffer    w : f32[n] read
  buffer    y : f32[n] write
  fn quantised(a : f32) -> f32 = round(a * 8.0) / 8.0  pullback(g) = g
  fn product(a : f32, b : f32) -> f32 = a * b  pullback(g) = g * b, g * a

  let i = global_id.x
  if i < n { y[i] = product(quantised(w[i]), x[i]) }
}
;;; STDOUT:
program p_grad {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read
  buffer    w : f32[n] read
  buffer    y : f32[n] write
  buffer    grad_x : f32[n] write
  buffer    grad_w : f32[n] write
  buffer    grad_y : f32[n] read

  if global_id.x < n {
    let w1 = w[global_id.x]
    let t1 = with_partial(stop_gradient(round(w1 * 8.0) / 8.0), w1, 1.0, 1.0)
    let x1 = x[global_id.x]
    y[global_id.x] = with_partial(with_partial(stop_gradient(t1 * x1), t1, x1, x1), x1, t1, t1)
    let grad_y1 = grad_y[global_id.x]
    let t2 = mulz(grad_y1, t1)
    let t3 = mulz(grad_y1, x1)
    grad_x[global_id.x] = t2
    grad_w[global_id.x] = t3
  }
}
