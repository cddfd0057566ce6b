;;; TOOL: kgrad show {in}
// The prelude's functions take any float; a function of this file takes the place of one, but not inside of another.
program p {
  fn half(x : real) -> real = x * real(0.5)
  fn sigmoid(x : f32) -> f32 = half(x)
  workgroup 1
  grid      1
  buffer    x : f32[4] read
  buffer    h : f16[4] read
  buffer    d : f64[4] read
  buffer    y : f32[4] write
  buffer    z : f16[4] write
  buffer    w : f64[4] write
  let mix = 0.25
  y[0] = relu(x[0]) + mix(x[1], 1, mix)
  y[1] = sigmoid(x[2]) + silu(x[2])
  z[0] = half(h[0]) + relu(half(2))
  w[0] = radians(d[0]) + half(0.1)
}
;;; STDOUT:
program p {
  workgroup 1
  grid      1
  buffer    x : f32[4] read
  buffer    h : f16[4] read
  buffer    d : f64[4] read
  buffer    y : f32[4] write
  buffer    z : f16[4] write
  buffer    w : f64[4] write

  y[0] = max(x[0], 0.0) + (x[1] * (1.0 - 0.25) + 1.0 * 0.25)
  let t1 = x[2] * 0.5
  let x1 = x[2]
  let t2 = exp(select(x1 < 0.0, x1, -x1))
  y[1] = t1 + x1 * (select(x1 < 0.0, t2, 1.0) / (1.0 + t2))
  z[0] = h[0] * 0.5 + max(2.0 * 0.5, 0.0)
  w[0] = 0.017453292519943295 * d[0] + 0.1 * 0.5
}
