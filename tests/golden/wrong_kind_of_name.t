;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  let t = x[0]
  t = 1
}
;;; STDERR:
wrong_kind_of_name.kg:7:3: error: t is not the name of a var, buffer or shared [wrong-kind-of-name]
     7 |   t = 1
       |   ^
  fix: use the name of a var, buffer or shared
