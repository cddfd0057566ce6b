;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[6] read_write
  x[1, 2] = 1.0
}
;;; STDERR:
index_count_flat.kg:5:3: error: x has 2 indices here, and its number of dimensions is 1 [index-count]
     5 |   x[1, 2] = 1.0
       |   ^
  fix: write one index, or declare it with 2 extents, as in x : f32[rows, cols]
