;;; TOOL: kgrad grad {in}
;;; EXIT: 2
program waves {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  param     a : f32 = 2.0
  buffer    y : f32[n] write

  let i = global_id.x
  if i < n { y[i] = sin(a * f32(i)) }
}
;;; STDERR:
grad_by_param_alone.kg:1:9: error: waves has no input buffer of floats [grad-nothing]
     1 | program waves {
       |         ^
  fix: name params, which are inputs where they are named: --wrt a
