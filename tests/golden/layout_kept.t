;;; TOOL: kgrad grad k.kg --mode split --layout kept --bind tape_k=2.0
;;; FILE: k.kg
program k {
  workgroup 64
  grid invocations n
  param n : u32
  buffer x : f32[n] read
  buffer y : f32[n] write
  let i = global_id.x
  var s = 1.0
  for j in 0 .. n { s = s * sin(s + x[i]) }
  if i < n { y[i] = s }
}
;;; STDOUT:
module k_forward {
  param  n : u32
  buffer x : f32[n] read view(set 0, binding 0, offset 0, stride 4)
  buffer y : f32[n] write view(set 0, binding 1, offset 0, stride 4)
  buffer tape_k : f32[(n + 15) / 16 * ((n + 63) / 64 * 64)] write view(set 2, binding 0, offset 0, stride 4)

  program k_forward {
    workgroup 64
    grid      invocations n
    param     n : u32
    param     tape_lanes : u32
    param     tape_trips : u32
    buffer    x : f32[n] read view(set 0, binding 0, offset 0, stride 4)
    buffer    y : f32[n] write view(set 0, binding 1, offset 0, stride 4)
    buffer    tape : f32[tape_trips, tape_lanes] read_write view(set 2, binding 0, offset 0, stride 4)

    var s = 1.0
    let x1 = x[global_id.x]
    let t1 = n % 16
    for i in 0 .. n / 16 + min(t1, 1) {
      let t2 = min(16, n - i * 16)
      var s_1 : f32
      let s1 = s
      tape[i, global_id.x] = s1
      s_1 = s1
      for i_1 in 0 .. t2 {
        let s_1_1 = s_1
        s_1 = s_1_1 * sin(s_1_1 + x1)
      }
      s = s_1
    }
    if global_id.x < n {
      y[global_id.x] = s
    }
  }

  run k_forward(tape = tape_k, tape_lanes = (n + 63) / 64 * 64, tape_trips = (n + 15) / 16)
}
module k_grad {
  param  n : u32
  buffer x : f32[n] read view(set 0, binding 0, offset 0, stride 4)
  buffer grad_x : f32[n] write view(set 0, binding 2, offset 0, stride 4)
  buffer grad_y : f32[n] read view(set 0, binding 3, offset 0, stride 4)
  buffer tape_k : f32[(n + 15) / 16 * ((n + 63) / 64 * 64)] read view(set 2, binding 0, offset 0, stride 4)

  program k_grad {
    workgroup 64
    grid      invocations n
    param     n : u32
    param     tape_lanes : u32
    param     tape_trips : u32
    buffer    x : f32[n] read view(set 0, binding 0, offset 0, stride 4)
    buffer    grad_x : f32[n] write view(set 0, binding 2, offset 0, stride 4)
    buffer    grad_y : f32[n] read view(set 0, binding 3, offset 0, stride 4)
    buffer    tape : f32[tape_trips, tape_lanes] read view(set 2, binding 0, offset 0, stride 4)

    let x1 = x[global_id.x]
    let t1 = n % 16
    let t2 = n / 16 + min(t1, 1)
    let c1 = global_id.x < n
    var grad_x_1 = 0.0
    var grad_s = 0.0
    if c1 {
      grad_s = grad_y[global_id.x]
    }
    for i in 0 .. t2 reversed {
      var kept_s : f32[16]
      var kept_value : f32[16]
      let t3 = min(16, n - i * 16)
      var s_1 : f32
      s_1 = tape[i, global_id.x]
      for i_1 in 0 .. t3 {
        let s_1_1 = s_1
        kept_s[i_1] = s_1_1
        let t4 = sin(s_1_1 + x1)
        kept_value[i_1] = t4
        s_1 = s_1_1 * t4
      }
      var grad_s_1 : f32
      let grad_s1 = grad_s
      grad_s = 0.0
      grad_s_1 = grad_s1
      for i_1 in 0 .. t3 reversed {
        let kept_s1 = kept_s[i_1]
        let t5 = kept_s1 + x1
        let kept_value1 = kept_value[i_1]
        let grad_s_1_1 = grad_s_1
        let t6 = mulz(grad_s_1_1, kept_value1)
        let t7 = mulz(mulz(grad_s_1_1, kept_s1), cos(t5))
        let t8 = t6 + t7
        grad_x_1 += t7
        grad_s_1 = t8
      }
      grad_s = grad_s_1
    }
    grad_x[global_id.x] = grad_x_1
  }

  run k_grad(tape = tape_k, tape_lanes = (n + 63) / 64 * 64, tape_trips = (n + 15) / 16)
}
