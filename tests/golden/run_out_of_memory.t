;;; TOOL: kgrad run {in} --param n=4611686018427387904
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  param     n : u64
  buffer    y : f32[n] write
  y[0] = 1.0
}
;;; STDERR:
kgrad: error: out of memory [no-memory]
  fix: use smaller params or buffers, or a machine with more memory
