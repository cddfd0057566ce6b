;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  let t = x[0]
  if t > 0 { let t = 1 }
}
;;; STDERR:
name_in_use.kg:7:18: error: t already stands for what line 6 declares [name-in-use]
     7 |   if t > 0 { let t = 1 }
       |                  ^
  fix: choose another name: names are not shadowed
