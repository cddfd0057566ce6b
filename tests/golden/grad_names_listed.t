;;; TOOL: kgrad grad {in} --of y,z --wrt x,s
program two {
  workgroup 4
  grid      invocations 4
  param     s : f32 = 2.0
  buffer    x : f32[4] read
  buffer    w : f32[4] read
  buffer    y : f32[4] write
  buffer    z : f32[4] write
  y[global_id.x] = x[global_id.x] * w[global_id.x]
  z[global_id.x] = x[global_id.x] * s
}
;;; STDOUT:
program two_grad {
  workgroup 4
  grid      invocations 4
  param     s : f32 = 2.0
  buffer    x : f32[4] read
  buffer    w : f32[4] read
  buffer    y : f32[4] write
  buffer    z : f32[4] write
  buffer    grad_x : f32[4] write
  buffer    grad_y : f32[4] read
  buffer    grad_z : f32[4] read
  buffer    grad_s : f32[1] write
  shared    partial : f32[4]

  let x1 = x[global_id.x]
  let w1 = w[global_id.x]
  y[global_id.x] = x1 * w1
  z[global_id.x] = x1 * s
  let grad_z1 = grad_z[global_id.x]
  let t1 = mulz(grad_z1, s)
  let t2 = mulz(grad_z1, x1)
  grad_x[global_id.x] = t1 + mulz(grad_y[global_id.x], w1)
  partial[local_id.x] = t2
  barrier
  for level in u32(0) .. 2 reversed {
    let t3 = 1 << level
    let t4 = local_id.x + t3
    let c1 = t4 < 4
    if local_id.x < t3 && c1 {
      let partial1 = partial[t4]
      partial[local_id.x] += partial1
    }
    barrier
  }
  if local_id.x == 0 {
    grad_s[u32(0)] = partial[local_id.x]
  }
}
