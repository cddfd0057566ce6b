;;; TOOL: kgrad verify {src}/examples/inplace.kg --plot picture.png
;;; TOOL: kgrad verify {src}/examples/inplace.kg --plot nowhere/picture.png
;;; EXIT: 2
;;; ABSENT: nowhere/picture.png
;;; STDERR:
nowhere/picture.png: error: cannot write: No such file or directory [cannot-write]
  fix: name a path in a folder that is there, that may be written, and that has room
