;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  var t : f32[4] = 0
}
;;; STDERR:
array_init.kg:6:18: error: an array takes no initial value [array-init]
     6 |   var t : f32[4] = 0
       |                  ^
  fix: store to its elements
