;;; TOOL: kgrad show {in} -o out.kg
;;; EXIT: 2
;;; ABSENT: *
program half {
;;; STDERR:
show_invalid_leaves_no_file.kg:1:14: error: this { is never closed [unclosed-brace]
     1 | program half {
       |              ^
  fix: add a } where its block ends
