;;; TOOL: kgrad run {in} --param m=-2 --param n=-3
;;; EXIT: 2
// The product of two negative extents is no length.
program p {
  workgroup 1
  grid 1
  param m : i32
  param n : i32
  buffer y : f32[m, n] write
  y[0] = 1.0
}
;;; STDERR:
dims_negative.kg:7:10: error: y evaluates to -2, which is negative [length-negative]
     7 |   buffer y : f32[m, n] write
       |          ^
  fix: change it, or pass params, so that it is at least 0
