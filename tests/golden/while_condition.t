;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  while { x[0] = 1; when true } { }
}
;;; STDERR:
while_condition.kg:6:11: error: expected 'let', or 'when' and the condition but found 'x' [syntax]
     6 |   while { x[0] = 1; when true } { }
       |           ^
  fix: doc/language.md has the grammar
