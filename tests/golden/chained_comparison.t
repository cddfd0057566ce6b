;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  if 0 < x[0] < 1 { x[0] = 0 }
}
;;; STDERR:
chained_comparison.kg:6:15: error: comparisons do not chain [chained-comparison]
     6 |   if 0 < x[0] < 1 { x[0] = 0 }
       |               ^
  fix: join two with &&, or use parentheses
