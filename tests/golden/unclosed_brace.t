;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  if x[0] > 0 {
    x[0] = 0
;;; STDERR:
unclosed_brace.kg:6:15: error: this { is never closed [unclosed-brace]
     6 |   if x[0] > 0 {
       |               ^
  fix: add a } where its block ends
