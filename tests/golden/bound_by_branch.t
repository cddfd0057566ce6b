;;; TOOL: kgrad grad {in} --of y --wrt x --explain -o a.kg
// The bound of a loop that a branch chooses: the largest of what is stored to it.
program bound_by_branch {
  workgroup 8
  grid      1
  param     m : u32 = 20
  buffer    x : f32[8] read
  buffer    y : f32[8] write

  var h = x[local_id.x]
  var b = m
  if b > 400 { b = 400 }
  for j in u32(0) .. b { h = sin(h) + 0.1 }
  y[local_id.x] = h
}
;;; STDERR:
grad_x: gradient of x; each element is stored once
grad_y: cotangent of y; it is only read
run of bound_by_branch, line 2: forward and reverse in one program; active: x, y, var h
  line 12: h: kept in tape_bound_by_branch, f32[(max(max(m, 400), 0) + 15) / 16 * 8], 800 bytes: at the start of every 16 trips, which are run again
  line 12: h: kept while line 12 is run again in an array, f32[16], 64 bytes: the store in line 12 overwrites it
  line 9: h: refilled in the reverse of line 12: its stores are run again, from line 12 on
  shadow of x: stored once: the load in line 9 reaches every element once
tape_bound_by_branch: a tape, f32[(max(max(m, 400), 0) + 15) / 16 * 8], 800 bytes
