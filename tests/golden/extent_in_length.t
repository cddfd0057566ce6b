;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[2, 3] read
  buffer y : f32[len(x), 4] write
  buffer z : f32[len(x, 1)] write
}
;;; STDERR:
extent_in_length.kg:6:18: error: a length cannot ask for one dimension of an array [extent-in-length]
     6 |   buffer z : f32[len(x, 1)] write
       |                  ^
  fix: write the extent itself, as that array's declaration does
