;;; TOOL: kgrad grad {in}
program p {
  const W = 4
  workgroup 4
  grid      1
  buffer    x : f32[64] read in 0.25 .. 1
  buffer    y : f32[4] read_write
  shared    s : f32[W * 10]
  let g = global_id.x
  for i in 0 .. len(s) {
    y[g] = sin(y[g]) + x[i] * 0.1
  }
}
;;; STDOUT:
module p_grad {
  buffer x : f32[64] read in 0.25 .. 1
  buffer y : f32[4] read_write
  buffer grad_x : f32[64] write
  buffer grad_y : f32[4] read_write
  buffer tape_p : f32[160] temp

  program p_grad {
    const     W = 4
    workgroup 4
    grid      1
    param     tape_lanes : u32
    param     tape_trips : u32
    buffer    x : f32[64] read in 0.25 .. 1
    buffer    y : f32[4] read_write
    buffer    grad_x : f32[64] read_write
    buffer    grad_y : f32[4] read_write
    buffer    tape : f32[tape_trips, tape_lanes] read_write
    shared    s : f32[W * 10]

    for i in 0 .. len(s) {
      let y1 = y[global_id.x]
      assert i < tape_trips "the gradient keeps fewer trips of the loop in line 9: state `limit N` behind the condition of a while, end a for at min(end, begin + N)"
      tape[i, global_id.x] = y1
      y[global_id.x] = sin(y1) + x[i] * 0.1
    }
    for i_1 in 0 .. len(s) reversed {
      let tape1 = tape[i_1, global_id.x]
      let grad_y1 = grad_y[global_id.x]
      atomic_add(grad_x[i_1], grad_y1 * 0.1)
      grad_y[global_id.x] = mulz(grad_y1, cos(tape1))
    }
  }

  program zero_f32 {
    workgroup 256
    buffer    a : f32[] write

    for i in global_id.x .. len(a) step num_workgroups.x * 256 {
      a[i] = 0.0
    }
  }

  run zero_f32(a = grad_x) grid 1
  run p_grad(tape = tape_p, tape_lanes = 4, tape_trips = 40)
}
