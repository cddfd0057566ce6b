;;; TOOL: kgrad check {in}
;;; EXIT: 2
program one {
  workgroup 1
  grid      1
  buffer    y : f32[1] write
  y[0] = 1.0
}
program two {
  workgroup 1
  grid      1
  buffer    y : f32[1] write
  y[0] = 2.0
}
;;; STDERR:
two_programs.kg:7:1: error: expected the end of the text (several programs stand in one module) but found 'program' [syntax]
     7 | program two {
       | ^
  fix: doc/language.md has the grammar
