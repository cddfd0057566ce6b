;;; TOOL: kgrad show k.kg
;;; FILE: k.kg
program k {
  const GAIN = 0.5 view(id 7)
  workgroup 64
  grid invocations n
  param n : u32 = 5 in 0 .. 10 view(offset 8)
  param rate : f32 view(set 1, binding 2, offset 12)
  buffer y : f32[n] write
  if global_id.x < n { y[global_id.x] = GAIN * rate }
}
;;; STDOUT:
program k {
  const     GAIN = 0.5 view(id 7)
  workgroup 64
  grid      invocations n
  param     n : u32 = 5 in 0 .. 10 view(offset 8)
  param     rate : f32 view(set 1, binding 2, offset 12)
  buffer    y : f32[n] write

  if global_id.x < n {
    y[global_id.x] = GAIN * rate
  }
}
