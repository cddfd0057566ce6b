;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  n[0] = -1
}
;;; STDERR:
literal_range_negative.kg:6:10: error: -1 does not fit u32 [literal-range]
     6 |   n[0] = -1
       |          ^
  fix: use a value in the range of the type, or state another type, as in u64(1)
