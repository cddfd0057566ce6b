;;; TOOL: kgrad show broken.kgb -o out.kg
;;; EXIT: 2
;;; ABSENT: *
;;; HEX: broken.kgb
4b 47 42 1a 01 7f 01 00
;;; STDERR:
broken.kgb: error: the file ends in the middle of what it holds, at byte 8 [binary-cut]
  fix: write it again with kgrad show FILE.kg -o FILE.kgb
