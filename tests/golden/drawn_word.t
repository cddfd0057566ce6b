;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  param     n : u32 = 3
  param     m : u32 = 3
  buffer    a : f32[n] read drawn upward
  buffer    y : f32 write
  y = 1.0
}
;;; STDERR:
drawn_word.kg:6:35: error: expected one of ascending definite positive but found 'upward' [syntax]
     6 |   buffer    a : f32[n] read drawn upward
       |                                   ^
  fix: doc/language.md has the grammar
