;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  n[0] = 99999999999999999999
}
;;; STDERR:
literal_range_any.kg:6:10: error: 99999999999999999999 does not fit any type [literal-range]
     6 |   n[0] = 99999999999999999999
       |          ^
  fix: use a value in the range of the type, or state another type, as in u64(1)
