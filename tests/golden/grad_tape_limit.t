;;; TOOL: kgrad grad {in} --tape-limit 3K -o adjoint.kg
;;; EXIT: 1
;;; ABSENT: *
program p {
  workgroup 4
  grid invocations n
  param n : u32 = 1000
  param m : u32 = 50
  buffer x : f32[n] read
  buffer y : f32[n] write
  let i = global_id.x
  var t = x[i]
  for j in 0 .. m {
    t = sin(t)
  }
  y[i] = t
}
;;; STDERR:
grad_tape_limit.kg:10:3: error: tapes of the gradient take 4000 bytes at n = 1000, m = 50, and the limit is 3072 bytes; the largest is that of p, with 4000 bytes [grad-tape-limit]
    10 |   for j in 0 .. m {
       |   ^
  fix: allow more, give params defaults that keep it small, or cut the path with stop_gradient(...)
