;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[0] = 1e39
}
;;; STDERR:
literal_range_float.kg:6:10: error: 1e+39 does not fit f32 [literal-range]
     6 |   x[0] = 1e39
       |          ^
  fix: use a value in the range of the type, or state another type, as in u64(1)
