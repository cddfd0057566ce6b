;;; TOOL: kgrad grad {in} --mode split --primal primal.kg -o adjoint.kg --explain
program power {
  workgroup 64
  param     n : u32 = 100
  param     m : u32 = 5
  grid      invocations n
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n {
    var v = x[i]
    for k in 0 .. m { v = sin(v) * v }
    y[i] = v
  }
}
;;; STDERR:
grad_x: gradient of x; each element is stored once
grad_y: cotangent of y; it is only read
tape_power: kept for the adjoint, of power; it is only read
run of power, line 1: forward with a tape, and an adjoint of its own; active: x, y, var v
  line 11: v: kept in tape_power, f32[m * ((n + 63) / 64 * 64)], 2560 bytes: the store in line 11 overwrites it
  line 11: sin: recomputed in the reverse of line 11
  shadow of x: stored once: the load in line 10 reaches every element once
tape_power: a tape, f32[m * ((n + 63) / 64 * 64)], 2560 bytes
;;; OUTPUT: primal.kg
module power_forward {
  param  n : u32 = 100
  param  m : u32 = 5
  buffer x : f32[n] read
  buffer y : f32[n] write
  buffer tape_power : f32[m * ((n + 63) / 64 * 64)] write

  program power_forward {
    workgroup 64
    grid      invocations n
    param     n : u32 = 100
    param     m : u32 = 5
    param     tape_lanes : u32
    param     tape_trips : u32
    buffer    x : f32[n] read
    buffer    y : f32[n] write
    buffer    tape : f32[tape_trips, tape_lanes] read_write

    if global_id.x < n {
      var v = x[global_id.x]
      for k in 0 .. m {
        let v1 = v
        tape[k, global_id.x] = v1
        v = sin(v1) * v1
      }
      y[global_id.x] = v
    }
  }

  run power_forward(tape = tape_power, tape_lanes = (n + 63) / 64 * 64, tape_trips = m)
}
;;; OUTPUT: adjoint.kg
module power_grad {
  param  n : u32 = 100
  param  m : u32 = 5
  buffer grad_x : f32[n] write
  buffer grad_y : f32[n] read
  buffer tape_power : f32[m * ((n + 63) / 64 * 64)] read

  program power_grad {
    workgroup 64
    grid      invocations n
    param     n : u32 = 100
    param     m : u32 = 5
    param     tape_lanes : u32
    param     tape_trips : u32
    buffer    grad_x : f32[n] write
    buffer    grad_y : f32[n] read
    buffer    tape : f32[tape_trips, tape_lanes] read

    if global_id.x < n {
      var grad_v : f32
      grad_v = grad_y[global_id.x]
      for k_1 in 0 .. m reversed {
        let tape1 = tape[k_1, global_id.x]
        let t1 = sin(tape1)
        let grad_v1 = grad_v
        let t2 = mulz(grad_v1, tape1)
        grad_v = mulz(grad_v1, t1) + mulz(t2, cos(tape1))
      }
      grad_x[global_id.x] = grad_v
    }
  }

  run power_grad(tape = tape_power, tape_lanes = (n + 63) / 64 * 64, tape_trips = m)
}
