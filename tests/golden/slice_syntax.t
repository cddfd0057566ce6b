;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer a : f32[12] read_write
  program step {
    workgroup 4
    grid      1
    buffer    x : f32[4] read_write

    x[local_id.x] = 2.0
  }
  run step(x = a[4])
}
;;; STDERR:
slice_syntax.kg:10:19: error: expected '..' but found ']' [syntax]
    10 |   run step(x = a[4])
       |                   ^
  fix: doc/language.md has the grammar
