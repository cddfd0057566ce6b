;;; TOOL: kgrad run {in} --out x=x.npy
;;; EXIT: 2
;;; ABSENT: *
program p {
  workgroup 1
  grid      1
  buffer    x : f32[4] read
  buffer    y : f32[4] write
  y[0] = x[0]
}
;;; STDERR:
kgrad: error: buffer x is `read` and gives no array [not-an-output]
  fix: leave out --out x=...
