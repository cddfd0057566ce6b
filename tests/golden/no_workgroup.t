;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  grid 1
}
;;; STDERR:
no_workgroup.kg:1:9: error: program p states no workgroup [no-workgroup]
     1 | program p {
       |         ^
  fix: add, for example: workgroup 64
