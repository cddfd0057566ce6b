;;; TOOL: kgrad --version
;;; STDOUT:
kgrad 0.1.0
