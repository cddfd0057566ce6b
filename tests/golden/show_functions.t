;;; TOOL: kgrad show {in}
// Functions are inlined; they may call those before them.
program functions {
  fn square(x : f32) -> f32 = x * x
  fn gelu(x : f32) -> f32 {
    let c : f32 = 0.7978845608
    let inner = c * (x + 0.044715 * square(x) * x)
    return 0.5 * x * (1 + tanh(inner))
  }
  fn either(c : bool, a : i32, b : i32) -> i32 = select(c, a, b)
  fn seven() -> u32 = 7
  fn same(x : f32) -> f32 = x
  workgroup 8
  grid      invocations n
  param     n : u32 = 10
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  buffer    z : i32[n] write

  let i = global_id.x
  if i < n {
    y[i] = gelu(x[i]) + gelu(2) + same(x[i])
    z[i] = either(i < seven(), 1, 2)
  }
}
;;; STDOUT:
program functions {
  workgroup 8
  grid      invocations n
  param     n : u32 = 10
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  buffer    z : i32[n] write

  if global_id.x < n {
    let x1 = x[global_id.x]
    let t1 = 0.7978846 * (x1 + 0.044715 * (x1 * x1) * x1)
    let t2 = 0.5 * x1 * (1.0 + tanh(t1))
    let t3 = 0.7978846 * (2.0 + 0.044715 * (2.0 * 2.0) * 2.0)
    y[global_id.x] = t2 + 0.5 * 2.0 * (1.0 + tanh(t3)) + x[global_id.x]
    z[global_id.x] = select(global_id.x < 7, 1, 2)
  }
}
