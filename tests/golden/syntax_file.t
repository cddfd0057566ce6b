;;; TOOL: kgrad check {in}
;;; EXIT: 2
shader p { }
;;; STDERR:
syntax_file.kg:1:1: error: expected 'program' or 'module' but found 'shader' [syntax]
     1 | shader p { }
       | ^
  fix: doc/language.md has the grammar
