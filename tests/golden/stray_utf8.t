;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  let µ = x[0]
}
;;; STDERR:
stray_utf8.kg:6:7: error: stray byte \xc2 [stray-byte]
     6 |   let µ = x[0]
       |       ^
  fix: remove it: outside of comments and strings the language is ASCII
