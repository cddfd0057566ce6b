;;; TOOL: kgrad prim kfac_inverse --param n=65 -o inverse.kg
;;; EXIT: 2
;;; ABSENT: *
;;; STDERR:
kgrad: error: kfac_inverse takes for n a whole number from 1 to 64, not 65 [primitive-value]
  fix: n is the side of a block; one must fit in 16 KiB of shared memory, so split larger ones
