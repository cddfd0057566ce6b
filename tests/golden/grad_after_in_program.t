;;; TOOL: kgrad grad {in} --wrt "y after waves"
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
grad_after_in_program.kg:1:9: error: waves has no run named waves [grad-no-such]
     1 | program waves {
       |         ^
  fix: name the buffer alone: a program by itself has no runs, which modules have
