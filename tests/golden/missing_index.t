;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x = 1
}
;;; STDERR:
missing_index.kg:6:3: error: x is an array and needs an index [missing-index]
     6 |   x = 1
       |   ^
  fix: write x[i]
