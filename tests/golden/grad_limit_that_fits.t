;;; TOOL: kgrad grad {in} --explain -o a.kg --tape-limit 2K
module grad_limit_that_fits {
  param n : u32 = 64
  param steps : u32 = 8
  buffer a : f32[n] read_write
  buffer t : f32[n] temp
  program f {
    workgroup 64
    grid invocations n
    param n : u32
    buffer a : f32[n] read
    buffer t : f32[n] write
    let i = global_id.x
    if i < n { t[i] = sin(a[i]) * cos(a[(i + 1) % n]) * exp(a[(i + 2) % n]) }
  }
  program g {
    workgroup 64
    grid invocations n
    param n : u32
    buffer t : f32[n] read
    buffer a : f32[n] write
    let i = global_id.x
    if i < n { a[i] = t[i] }
  }
  repeat k in 0 .. steps { run f  run g }
}
;;; STDERR:
grad_a: cotangent on entry, gradient on exit of a; invocations add to it atomically
run of f, line 24: an adjoint of its own; active: a, t
  line 13: a: recomputed in the reverse of line 13: from a copy made before the run
  line 13: sin: recomputed in the reverse of line 13
  line 13: a: recomputed in the reverse of line 13: from a copy made before the run
  line 13: cos: recomputed in the reverse of line 13
  line 13: mul: recomputed in the reverse of line 13
  line 13: exp: recomputed in the reverse of line 13
  shadow of a: added to atomically: what one invocation loads in line 13 another one may load in line 13
run of g, line 24: an adjoint of its own; active: t, a
  shadow of t: stored once: the load in line 22 reaches every element once
copy_a: a copy of a, f32[max(steps, 0) * n], 2048 bytes
what would help in the run of f, with --param or --grid:
  shadow of a: no value of params that was tried makes it plain
