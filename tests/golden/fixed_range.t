;;; TOOL: kgrad show {in} --param k=3
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  param     n : u32 = 8
  param     k : u32 = 2 in 0 .. n
  buffer    y : f32[n] write

  y[k] = f32(k)
}
;;; STDERR:
fixed_range.kg:5:13: error: the range of param k names what is not known [fixed-range]
     5 |   param     k : u32 = 2 in 0 .. n
       |             ^
  fix: give that a value too, or leave k open
