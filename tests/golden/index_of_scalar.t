;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer s : f32 write
  s[0] = 1
}
;;; STDERR:
index_of_scalar.kg:5:3: error: s is a scalar and takes no index [index-of-scalar]
     5 |   s[0] = 1
       |   ^
  fix: write s without brackets
