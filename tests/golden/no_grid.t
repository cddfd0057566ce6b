;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
}
;;; STDERR:
no_grid.kg:1:9: error: neither program p nor its run states a grid [no-grid]
     1 | program p {
       |         ^
  fix: add, for example: grid invocations n
