;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[1] = something
}
;;; STDERR:
unknown_name_far.kg:6:10: error: nothing here is named something [unknown-name]
     6 |   x[1] = something
       |          ^
  fix: declare it first
