;;; TOOL: kgrad grad {in} --wrt q
;;; EXIT: 2
program waves {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  param     a : f32 = 2.0
  buffer    x : f32[n] read
  buffer    k : u32[n] read
  buffer    y : f32[n] write

  let i = global_id.x
  if i < n { y[i] = sin(a * x[i]) * f32(k[i]) }
}
;;; STDERR:
grad_no_such_input.kg:1:9: error: waves has no input named q [grad-no-such]
     1 | program waves {
       |         ^
  fix: name one of: x, a
