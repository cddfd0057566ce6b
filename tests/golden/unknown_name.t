;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  let total = x[0]
  x[1] = totl
}
;;; STDERR:
unknown_name.kg:7:10: error: nothing here is named totl [unknown-name]
     7 |   x[1] = totl
       |          ^
  fix: did you mean total?
