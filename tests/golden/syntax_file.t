;;; TOOL: kgrad check {in}
;;; EXIT: 2
kernel p { }
;;; STDERR:
syntax_file.kg:1:1: error: expected 'program' or 'module' but found 'kernel' [syntax]
     1 | kernel p { }
       | ^
  fix: doc/language.md has the grammar
