;;; TOOL: kgrad verify {in} --param n=4
;;; EXIT: 2
module m { param n : u32 buffer x : f32[6] read buffer y : f32[n] write
program step adjoint back { workgroup 8 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] read buffer h : f32[n] write
if global_id.x < n { h[global_id.x] = a[global_id.x] - b[global_id.x] } }
program back { workgroup 8 grid invocations n param n : u32 buffer grad_a : f32[n] read_write buffer grad_b : f32[n] read_write buffer grad_h : f32[n] read_write
let i = global_id.x if i < n { grad_a[i] += grad_h[i] grad_b[i] -= grad_h[i] } }
run step(a = x[0 .. n], b = x[2 .. n + 2], h = y) }
;;; STDERR:
adjoint_slices.kg:6:1: error: the run of back binds grad_x[0 .. 4] and grad_x[2 .. 6], and may write one of them [bind-overlap]
     6 | run step(a = x[0 .. n], b = x[2 .. n + 2], h = y) }
       | ^
  fix: let the slices have no element in common, or copy one into another buffer
