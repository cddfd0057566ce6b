;;; TOOL: kgrad fuzz --without nothing
;;; EXIT: 2
;;; STDERR:
kgrad: error: --without cannot be nothing [option-choice]
  fix: one of: flow, jumps, functions, float-branch, gather, shared, atomics, int, types, bits, bounds, subgroup, modules, edges, results, wide, diverged, views, shapes, slices
