;;; TOOL: kgrad show {in} --as pdf
;;; EXIT: 2
program half {
  workgroup 64
  grid invocations n
  param n : u32 = 100
  buffer x : f32[n] read_write
  let i = global_id.x
  if (i < n) { let twice = x[i] + x[i]; x[i] = twice * 0.25 }   // goes
}
;;; STDERR:
kgrad: error: --as cannot be pdf [option-choice]
  fix: one of: kg|kgb|spv|spvasm|glsl|hlsl|msl|c|tree
