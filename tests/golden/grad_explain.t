;;; TOOL: kgrad grad {in} --explain
program scaled_square {
  workgroup 64
  param     n : u32 = 1000
  grid      invocations n
  buffer    x : f32[n] read
  buffer    scale : f32[1] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = scale[0] * x[i] * x[i] }
}
;;; STDOUT:
module scaled_square_grad {
  param  n : u32 = 1000
  buffer x : f32[n] read
  buffer scale : f32[1] read
  buffer y : f32[n] write
  buffer grad_x : f32[n] write
  buffer grad_scale : f32[1] write
  buffer grad_y : f32[n] read

  program scaled_square_grad {
    workgroup 64
    grid      invocations n
    param     n : u32 = 1000
    buffer    x : f32[n] read
    buffer    scale : f32[1] read
    buffer    y : f32[n] write
    buffer    grad_x : f32[n] write
    buffer    grad_scale : f32[1] read_write
    buffer    grad_y : f32[n] read
    shared    partial : f32[64]

    let c1 = global_id.x < n
    var grad_scale_1 = 0.0
    if c1 {
      let scale1 = scale[0]
      let x1 = x[global_id.x]
      let t1 = scale1 * x1
      y[global_id.x] = t1 * x1
      let grad_y1 = grad_y[global_id.x]
      let t2 = mulz(grad_y1, x1)
      let t3 = mulz(grad_y1, t1)
      let t4 = mulz(t2, x1)
      grad_x[global_id.x] = t3 + mulz(t2, scale1)
      grad_scale_1 = t4
    }
    partial[local_id.x] = grad_scale_1
    barrier
    for level in u32(0) .. 6 reversed {
      let t5 = 1 << level
      let t6 = local_id.x + t5
      let c2 = t6 < 64
      if local_id.x < t5 && c2 {
        let partial1 = partial[t6]
        partial[local_id.x] += partial1
      }
      barrier
    }
    if local_id.x == 0 {
      atomic_add(grad_scale[0], partial[local_id.x])
    }
  }

  program zero_f32 {
    workgroup 256
    buffer    a : f32[] write

    for i in global_id.x .. len(a) step num_workgroups.x * 256 {
      a[i] = 0.0
    }
  }

  run zero_f32(a = grad_scale) grid 1
  run scaled_square_grad
}
;;; STDERR:
grad_x: gradient of x; each element is stored once
grad_scale: gradient of scale; invocations add to it atomically
grad_y: cotangent of y; it is only read
run of scaled_square, line 1: forward and reverse in one program; active: x, scale, y
  shadow of x: stored once: the load in line 9 reaches every element once
  shadow of scale: summed over each workgroup, then added atomically: the whole workgroup loads the same element in line 9
what would help in the run of scaled_square, with --param or --grid:
  shadow of scale: no value of params that was tried makes it plain
