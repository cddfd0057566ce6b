;;; TOOL: kgrad show shader.comp
;;; EXIT: 2
;;; STDERR:
shader.comp: error: cannot read: No such file or directory [cannot-read]
  fix: name a file that is there and may be read
