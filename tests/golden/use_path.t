;;; TOOL: kgrad check {in}
;;; EXIT: 2
use "/etc/passwd"
program p { workgroup 1 grid 1 }
;;; STDERR:
use_path.kg:1:5: error: /etc/passwd cannot be used: it must be the path of a file, relative to this one [use-path]
     1 | use "/etc/passwd"
       |     ^
  fix: write it with / between folders, as in use "lib/waves.kg"
