;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  assert true "a\q"
}
;;; STDERR:
bad_escape.kg:6:17: error: unknown escape in a string [bad-escape]
     6 |   assert true "a\q"
       |                 ^
  fix: use \n, \t, \", \\ or \xHH other than \x00
