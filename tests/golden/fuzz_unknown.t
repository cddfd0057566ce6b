;;; TOOL: kgrad fuzz --property nothing
;;; EXIT: 2
;;; STDERR:
kgrad: error: --property cannot be nothing [option-choice]
  fix: one of: all, values, gradient, passes, round-trip, import, jvp, split, checkpoint, stated, points, races, threads
