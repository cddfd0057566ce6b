;;; TOOL: kgrad audit {in} back.kg --map dy=grad_y --map dx=grad_x
program square {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  y[global_id.x] = x[global_id.x] * x[global_id.x]
}
;;; FILE: back.kg
program back {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    x : f32[n] read
  buffer    dy : f32[n] read
  buffer    dx : f32[n] write
  if global_id.x < n { dx[global_id.x] = 2.0 * x[global_id.x] * dy[global_id.x] }
}
;;; STDOUT:
grad_x: passed, 10 of 10 entries
along 4 random directions: passed
passed
