;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer b : bool[4] read
}
;;; STDERR:
bool_buffer.kg:4:10: error: buffer b has elements of type bool, which has no layout in memory [bool-buffer]
     4 |   buffer b : bool[4] read
       |          ^
  fix: use u32, and compare with 0
