;;; TOOL: kgrad grad {in} --tape-limit 1500 --explain -o adjoint.kg
module orbit {
  param  n : u32 = 8
  param  t : u32 = 100
  buffer x : f32[n] read_write

  program step {
    workgroup 4
    grid      invocations n
    param     n : u32
    buffer    x : f32[n] read_write
    let i = global_id.x
    if i < n { x[i] = x[i] * x[i] }
  }
  repeat k in 0 .. t { run step }
}
;;; STDERR:
grad_x: cotangent on entry, gradient on exit of x; each element belongs to one invocation, which adds to it
run of step, line 14: forward with a tape, and an adjoint of its own; active: x
  line 12: x: kept in tape_step, f32[min(max(t, 0), 10) * ((n + 3) / 4 * 4)], 320 bytes: the store in line 12 overwrites it
  shadow of x: added to by one invocation: no two invocations load one element between two barriers, or the one that does stores to it too
repeat k, line 14: in segments of 10 rounds; (max(t, 0) + 9) / 10 snapshots of x; with copies, 352 bytes; 100 rounds run again
tape_step: a tape, f32[min(max(t, 0), 10) * ((n + 3) / 4 * 4)], 320 bytes
tapes and snapshots: 672 bytes
