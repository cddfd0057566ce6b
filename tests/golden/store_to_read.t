;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[4] read
  x[0] = 1
}
;;; STDERR:
store_to_read.kg:5:3: error: buffer x is `read` and cannot be written [store-to-read]
     5 |   x[0] = 1
       |   ^
  fix: declare x read_write, or write
