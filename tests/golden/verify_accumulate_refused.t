;;; TOOL: kgrad verify {in} --accumulate --of y
;;; EXIT: 1
// x is overwritten, and is no cotangent: as of kgrad grad, there is nothing that the gradient could be added to.
program overwritten {
  workgroup 64
  param     n : u32 = 10
  grid      invocations n
  buffer    x : f32[n] read_write
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = x[i] * x[i] x[i] = 1.0 }
}
;;; STDERR:
verify_accumulate_refused.kg:6:13: error: the module writes x, so that its gradient cannot be added to what is there [grad-accumulate]
     6 |   buffer    x : f32[n] read_write
       |             ^
  fix: take the gradient without accumulation, and add it afterwards
