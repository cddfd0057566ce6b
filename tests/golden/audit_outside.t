;;; TOOL: kgrad audit {in} back.kg --map dy=grad_y --map dx=grad_x
program square {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = x[global_id.x] * x[global_id.x] }
}
;;; FILE: back.kg
program back {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    x : f32[n] read
  buffer    dy : f32[n] read
  buffer    dx : f32[n] write
  dx[global_id.x] = 2.0 * x[min(global_id.x, n - 1)] * dy[global_id.x]
}
;;; STDOUT:
grad_x: passed, 10 of 10 entries
along 4 random directions: passed
passed
;;; STDERR:
back.kg:8:56: warning: dy[10] is read here by invocation 2 of workgroup 2, and dy has 10 elements; 2 such accesses in all [out-of-bounds]
     8 |   dx[global_id.x] = 2.0 * x[min(global_id.x, n - 1)] * dy[global_id.x]
       |                                                        ^
  fix: put it under an `if`: outside, a load gives 0 and a store is dropped
back.kg:8:3: warning: dx[10] is written here by invocation 2 of workgroup 2, and dx has 10 elements; 2 such accesses in all [out-of-bounds]
     8 |   dx[global_id.x] = 2.0 * x[min(global_id.x, n - 1)] * dy[global_id.x]
       |   ^
  fix: put it under an `if`: outside, a load gives 0 and a store is dropped
