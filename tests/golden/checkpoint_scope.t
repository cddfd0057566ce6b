;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  region checkpoint {
    let square = x[0] * x[0]
  }
  x[1] = square
}
;;; STDERR:
checkpoint_scope.kg:8:10: error: nothing here is named square [unknown-name]
     8 |   x[1] = square
       |          ^
  fix: declare a var in front of the checkpoint of line 5, and store to it inside
