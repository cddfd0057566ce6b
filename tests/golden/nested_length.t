;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  param n : u32
  grid max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + n)))))))))))))))))))))))))))))))))))))))))))))))))))))))
}
;;; STDERR:
nested_length.kg:4:61: error: the nesting of a length exceeds the limit of 100 [too-large]
     4 |   grid max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n, 1 + max(n
       |                                                             ^
  fix: keep the nesting of a length within 100: split what needs more
