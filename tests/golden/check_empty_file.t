;;; TOOL: kgrad check {in}
;;; EXIT: 2
;;; STDERR:
check_empty_file.kg:1:1: error: expected 'program' or 'module' but found the end of the text [syntax]
  fix: doc/language.md has the grammar
