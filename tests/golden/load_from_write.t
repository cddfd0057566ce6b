;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[4] write
  x[0] = x[1]
}
;;; STDERR:
load_from_write.kg:5:10: error: buffer x is `write`, and its contents cannot be used [load-from-write]
     5 |   x[0] = x[1]
       |          ^
  fix: declare x read_write
