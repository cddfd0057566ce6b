;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  x[0] = convert(n[0])
}
;;; STDERR:
conversion_name.kg:6:10: error: convert does not say to which type [conversion-name]
     6 |   x[0] = convert(n[0])
       |          ^
  fix: write the type as a function: f32(x), bitcast_u32(x)
