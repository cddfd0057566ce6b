;;; TOOL: kgrad verify {in}
;;; EXIT: 1
// Every invocation stores to the same element: no valid kernel, and so no gradient to prove.
program race {
  workgroup 4
  grid      1
  buffer    x : f32[4] read
  buffer    y : f32[1] write
  y[0] = x[local_id.x]
}
;;; STDOUT:
the kernel itself: FAILED; 3 races
grad_x: FAILED, 4 of 4 entries, 3 wrong; worst [0]: 0.393092781, dual 0, 2.3e+36 of what is allowed, in [0.393092781, 0.393092781]
along 4 random directions: FAILED, 4 wrong; worst: 0.218365331, dual -0.361557863, 3.5e+06 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 3.83 of the magnitude
FAILED
;;; STDERR:
verify_race.kg:7:3: error: y[0] is written here by invocation 1, and written by invocation 0 at 7:3, with nothing to order them [data-race]
     7 |   y[0] = x[local_id.x]
       |   ^
  fix: put a barrier between them, or use an atomic
