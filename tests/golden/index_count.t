;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[2, 3, 4] read_write
  x[1, 2] = 1.0
}
;;; STDERR:
index_count.kg:5:3: error: x has 2 indices here, and its number of dimensions is 3 [index-count]
     5 |   x[1, 2] = 1.0
       |   ^
  fix: write 3 of them, or one alone, which counts elements row by row
