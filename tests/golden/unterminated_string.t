;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  assert true "a
}
;;; STDERR:
unterminated_string.kg:6:15: error: a string that does not end in its line [unterminated-string]
     6 |   assert true "a
       |               ^
  fix: close it with "
