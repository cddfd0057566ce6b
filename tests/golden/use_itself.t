;;; TOOL: kgrad check {in}
;;; EXIT: 2
use "use_itself.kg"
program p { workgroup 1 grid 1 }
;;; STDERR:
use_itself.kg:1:5: error: use_itself.kg is being read already: it comes to use itself [use-cycle]
     1 | use "use_itself.kg"
       |     ^
  fix: move what both files need into a third one
