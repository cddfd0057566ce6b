;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[0] = 1.0
  + = 3
}
;;; STDERR:
syntax_statement.kg:7:5: error: expected an expression but found '=' [syntax]
     7 |   + = 3
       |     ^
  fix: doc/language.md has the grammar
