;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  let len = x[0]
}
;;; STDERR:
reserved_name.kg:6:7: error: len is a word of the language [reserved-name]
     6 |   let len = x[0]
       |       ^
  fix: choose another name
