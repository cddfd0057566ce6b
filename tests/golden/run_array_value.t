;;; TOOL: kgrad run {in} --in x=1,2,three
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  buffer    x : f32[3] read_write
  x[0] = 1.0
}
;;; STDERR:
kgrad: error: 'three' is no value of f32, which buffer x holds [array-value]
  fix: write values with commas between them, ones, zeros, random, or a file as ./FILE
