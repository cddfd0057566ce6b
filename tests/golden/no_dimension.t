;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[2, 3] read
  buffer n : u32[8] write
  n[0] = len(x, 1)
  n[1] = len(n, 0)
  n[2] = len(x, 5)
}
;;; STDERR:
no_dimension.kg:8:17: error: x has 2 dimensions, which count from 0, and none numbered 5 [no-dimension]
     8 |   n[2] = len(x, 5)
       |                 ^
  fix: ask for one of them, or write len(x) for the number of all elements
