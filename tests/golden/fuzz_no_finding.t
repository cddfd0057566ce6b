;;; TOOL: kgrad fuzz --again .
;;; EXIT: 2
;;; FILE: finding.txt
property     unheard-of
;;; STDERR:
./finding.txt: error: this is no finding: its property is unheard-of [no-finding]
  fix: name a folder that kgrad fuzz has written
