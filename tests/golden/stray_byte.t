;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[0] = x[1] @ 2
}
;;; STDERR:
stray_byte.kg:6:15: error: stray byte @ [stray-byte]
     6 |   x[0] = x[1] @ 2
       |               ^
  fix: remove it: outside of comments and strings the language is ASCII
