;;; TOOL: kgrad grad {in} --explain
program p {
  workgroup 64
  grid      1024, 65536
  buffer    x : f32[] read
  buffer    y : f32[] write
  let i = (workgroup_id.y * 1024 + workgroup_id.x) * 64 + local_id.x
  y[i] = sin(x[i])
}
;;; STDOUT:
module p_grad {
  buffer x : f32[] read
  buffer y : f32[] write
  buffer grad_x : f32[len(x)] write
  buffer grad_y : f32[len(y)] read

  program p_grad {
    workgroup 64
    grid      1024, 65536
    buffer    x : f32[] read
    buffer    y : f32[] write
    buffer    grad_x : f32[len(x)] read_write
    buffer    grad_y : f32[len(y)] read

    let i = (workgroup_id.y * 1024 + workgroup_id.x) * 64 + local_id.x
    let x1 = x[i]
    y[i] = sin(x1)
    let t1 = mulz(grad_y[i], cos(x1))
    grad_x[i] += t1
  }

  program zero_f32 {
    workgroup 256
    buffer    a : f32[] write

    for i in global_id.x .. len(a) step num_workgroups.x * 256 {
      a[i] = 0.0
    }
  }

  run zero_f32(a = grad_x) grid min((len(x) + 255) / 256, 65535)
  run p_grad
}
;;; STDERR:
grad_x: gradient of x; each element belongs to one invocation, which adds to it
grad_y: cotangent of y; it is only read
run of p, line 1: forward and reverse in one program; active: x, y
  shadow of x: added to by one invocation: no two invocations load one element: line 7
