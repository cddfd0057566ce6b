;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[0] = 1
  buffer y : f32 read
}
;;; STDERR:
late_declaration.kg:7:3: error: a declaration behind statements [late-declaration]
     7 |   buffer y : f32 read
       |   ^
  fix: move it before the first statement
