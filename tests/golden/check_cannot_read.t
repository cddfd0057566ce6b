;;; TOOL: kgrad check nowhere.kg
;;; EXIT: 2
;;; STDERR:
nowhere.kg: error: cannot read: No such file or directory [cannot-read]
  fix: name a file that is there and may be read
