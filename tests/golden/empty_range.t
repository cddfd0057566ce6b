;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 64
  grid      1
  buffer    x : f32[64] read_write in 5 .. 3
}
;;; STDERR:
empty_range.kg:4:13: error: no value lies in the range of x [empty-range]
     4 |   buffer    x : f32[64] read_write in 5 .. 3
       |             ^
  fix: state the lowest value first, and behind .. a value above the highest
