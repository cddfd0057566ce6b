;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[2, 2, 2, 2] read_write
  x[0, 0, 0, 0] = x[1, 1, 1, 1, 1, 1]
}
;;; STDERR:
index_count_many.kg:5:19: error: x has 6 indices here, and its number of dimensions is 4 [index-count]
     5 |   x[0, 0, 0, 0] = x[1, 1, 1, 1, 1, 1]
       |                   ^
  fix: write 4 of them, or one alone, which counts elements row by row
