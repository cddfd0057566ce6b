;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  let t = x[0]
  n[0] = len(t)
}
;;; STDERR:
wrong_kind_of_name.kg:7:14: error: t is not the name of a buffer or array [wrong-kind-of-name]
     7 |   n[0] = len(t)
       |              ^
  fix: write the name of a buffer or array, or declare one
