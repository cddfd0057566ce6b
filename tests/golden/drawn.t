;;; TOOL: kgrad show {in} -o k.kgb
;;; TOOL: kgrad show k.kgb -o again.kg
;;; TOOL: kgrad show again.kg
// How data are drawn is kept in both forms.
program p {
  workgroup 1
  grid      1
  param     n : u32 = 3
  buffer    order : u32[n + 1] read in 0 .. n drawn ascending
  buffer    a : f32[2, n, n] read drawn definite
  buffer    v : f32[n] read_write drawn positive view(set 0, binding 0, offset 0, stride 4)
  v[order[0]] += a[0, 0, 0]
}
;;; STDOUT:
program p {
  workgroup 1
  grid      1
  param     n : u32 = 3
  buffer    order : u32[n + 1] read in 0 .. n drawn ascending
  buffer    a : f32[2, n, n] read drawn definite
  buffer    v : f32[n] read_write drawn positive view(set 0, binding 0, offset 0, stride 4)

  v[order[0]] += a[0, 0, 0]
}
