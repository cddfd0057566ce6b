;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  shared s : f32[4]
  buffer x : f32[4] read
}
;;; STDERR:
buffer_order.kg:5:10: error: buffer x is declared after shared memory or a var [buffer-order]
     5 |   buffer x : f32[4] read
       |          ^
  fix: declare buffers first
