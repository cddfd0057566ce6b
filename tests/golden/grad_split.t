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
  line 11: v: kept in tape_power, f32[(m + 15) / 16 * ((n + 63) / 64 * 64)], 512 bytes: at the start of every 16 trips, which are run again
  line 11: v: kept while line 11 is run again in an array, f32[16], 64 bytes: the store in line 11 overwrites it
  line 11: sin: kept while line 11 is run again in an array, f32[16], 64 bytes: its trips are run again, and compute it on the way
  line 10: v: refilled in the reverse of line 11: its stores are run again, from line 11 on
  shadow of x: stored once: the load in line 10 reaches every element once
tape_power: a tape, f32[(m + 15) / 16 * ((n + 63) / 64 * 64)], 512 bytes
;;; OUTPUT: primal.kg
module power_forward {
  param  n : u32 = 100
  param  m : u32 = 5
  buffer x : f32[n] read
  buffer y : f32[n] write
  buffer tape_power : f32[(m + 15) / 16 * ((n + 63) / 64 * 64)] write

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
      let t1 = m % 16
      for i in 0 .. m / 16 + min(t1, 1) {
        let t2 = min(16, m - i * 16)
        var v_1 : f32
        let v1 = v
        tape[i, global_id.x] = v1
        v_1 = v1
        for i_1 in 0 .. t2 {
          let v_1_1 = v_1
          v_1 = sin(v_1_1) * v_1_1
        }
        v = v_1
      }
      y[global_id.x] = v
    }
  }

  run power_forward(tape = tape_power, tape_lanes = (n + 63) / 64 * 64, tape_trips = (m + 15) / 16)
}
;;; OUTPUT: adjoint.kg
module power_grad {
  param  n : u32 = 100
  param  m : u32 = 5
  buffer grad_x : f32[n] write
  buffer grad_y : f32[n] read
  buffer tape_power : f32[(m + 15) / 16 * ((n + 63) / 64 * 64)] read

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
      let t1 = m % 16
      let t2 = m / 16 + min(t1, 1)
      var grad_v : f32
      grad_v = grad_y[global_id.x]
      for i in 0 .. t2 reversed {
        var kept_v : f32[16]
        var kept_value : f32[16]
        let t3 = min(16, m - i * 16)
        var v_1 : f32
        v_1 = tape[i, global_id.x]
        for i_1 in 0 .. t3 {
          let v_1_1 = v_1
          kept_v[i_1] = v_1_1
          let t4 = sin(v_1_1)
          kept_value[i_1] = t4
          v_1 = t4 * v_1_1
        }
        var grad_v_1 : f32
        let grad_v1 = grad_v
        grad_v = 0.0
        grad_v_1 = grad_v1
        for i_1 in 0 .. t3 reversed {
          let kept_v1 = kept_v[i_1]
          let kept_value1 = kept_value[i_1]
          grad_v_1 = mulz(grad_v_1, kept_value1 + mulz(kept_v1, cos(kept_v1)))
        }
        grad_v = grad_v_1
      }
      grad_x[global_id.x] = grad_v
    }
  }

  run power_grad(tape = tape_power, tape_lanes = (n + 63) / 64 * 64, tape_trips = (m + 15) / 16)
}
