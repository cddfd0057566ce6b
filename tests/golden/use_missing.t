;;; TOOL: kgrad check {in}
;;; EXIT: 2
use "lib/none.kg"
program p { workgroup 1 grid 1 }
;;; STDERR:
use_missing.kg:1:5: error: cannot read lib/none.kg [use-missing]
     1 | use "lib/none.kg"
       |     ^
  fix: name a file that is there and may be read; the path is relative to the file that uses it
