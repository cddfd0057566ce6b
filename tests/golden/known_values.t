;;; TOOL: kgrad show {in} --param gain=-1.5e-3 --param wide=0x10 --param on=false --param half=0.5 --const T=32 --const BIAS=inf
program p {
  const     T = 64
  const     BIAS : f32 = 1.0
  const     STEP : i32 = 2
  workgroup T
  grid      n
  param     n : u32 = 8
  param     gain : f32
  param     wide : i64 = 7
  param     on : bool
  param     half : f16 in 0.0 .. 1.0
  param     last : i32 in 0 .. n
  buffer    x : f32[n * T] read
  buffer    y : f32[n * T + u] write
  param     u : i32
  shared    part : f32[T + 1]

  part[local_id.x] = x[global_id.x] + f32(STEP)
  barrier
  if on { part[T] = 1.0 }
  let w = gain * f32(half) + f32(wide) + min(part[T - local_id.x], BIAS)
  y[global_id.x] = w + f32(last)
}
;;; STDOUT:
program p {
  const     STEP : i32 = 2
  workgroup 32
  grid      n
  param     n : u32 = 8
  param     last : i32 in 0 .. n
  param     u : i32
  buffer    x : f32[n * 32] read
  buffer    y : f32[n * 32 + u] write
  shared    part : f32[33]

  part[local_id.x] = x[global_id.x] + f32(STEP)
  barrier
  let w = 15.99925 + min(part[32 - local_id.x], inf)
  y[global_id.x] = w + f32(last)
}
