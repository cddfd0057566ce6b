;;; TOOL: kgrad grad {in} --mode forward
use "through.kg"
program p {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read
  buffer    y : f32[n] write

  if global_id.x < n { y[global_id.x] = through(x[global_id.x]) }
}
;;; FILE: through.kg
fn through(a : real) -> real = round(a)  pullback(g) = g
fn twice(a : real) -> real = through(2.0 * a)
;;; STDOUT:
program p_jvp {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  buffer    tan_x : f32[n] read
  buffer    tan_y : f32[n] write

  if global_id.x < n {
    let x1 = x[global_id.x]
    y[global_id.x] = with_partial(stop_gradient(round(x1)), x1, 1.0, 1.0)
    tan_y[global_id.x] = tan_x[global_id.x]
  }
}
