;;; TOOL: kgrad check {in}
;;; EXIT: 2
use "-"
program p { workgroup 1 grid 1 }
;;; STDERR:
use_standard_input.kg:1:5: error: cannot read - [use-missing]
     1 | use "-"
       |     ^
  fix: name a file that is there and may be read; the path is relative to the file that uses it
