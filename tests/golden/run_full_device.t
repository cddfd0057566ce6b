;;; TOOL: kgrad run {in} --out y=a.npy --out z=/dev/full
;;; EXIT: 2
;;; ABSENT: *
program p {
  workgroup 1
  grid      1
  buffer    y : f32[1] write
  buffer    z : f32[1] write
  y[0] = 1.0
  z[0] = 1.0
}
;;; STDERR:
/dev/full: error: cannot write: No space left on device [cannot-write]
  fix: name a path in a folder that is there, that may be written, and that has room
