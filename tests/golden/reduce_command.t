;;; TOOL: kgrad reduce {in} --command 'grep -q sin' -o small.kg
// Whoever prints a program with a sine is of interest to the command.
program p {
  workgroup 4
  grid      invocations n
  param     n : u32 = 9
  buffer    x : f32[n] read
  buffer    y : f32[n] write

  let i = global_id.x
  if i < n {
    var s = 0.0
    for k in 0 .. 5 {
      s += x[i] * cos(x[i])
    }
    let t = s * 2.0 + exp(s)
    y[i] = sin(t) + s
  }
}
;;; STDERR: *
;;; OUTPUT: small.kg
program small {
  workgroup 1
  grid      1
  buffer    x : f32[1] write

  x[0] = sin(0.0)
}
