;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[0] = x[1] +
  barrier
}
;;; STDERR:
syntax.kg:7:3: error: expected an expression but found 'barrier' [syntax]
     7 |   barrier
       |   ^
  fix: doc/language.md has the grammar
