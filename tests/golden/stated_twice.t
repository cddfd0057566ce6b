;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  workgroup 2
  grid 1
}
;;; STDERR:
stated_twice.kg:3:3: error: workgroup is stated twice [stated-twice]
     3 |   workgroup 2
       |   ^
  fix: remove one
