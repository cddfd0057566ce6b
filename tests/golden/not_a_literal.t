;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  const T = 2 * 3
}
;;; STDERR:
not_a_literal.kg:4:13: error: a default and the value of a constant must be a literal [not-a-literal]
     4 |   const T = 2 * 3
       |             ^
  fix: write the number itself
