;;; TOOL: kgrad check {in}
;;; EXIT: 2
// Such a function is right for f16, f32 and f64, or refused where it stands.
program p {
  fn large(x : real) -> real = x * 1e10
  workgroup 1
  grid      1
  buffer    y : f32[4] write
  y[0] = large(1)
}
;;; STDERR:
function_of_real.kg:3:36: error: 1e+10 does not fit f16 [literal-range]
     3 |   fn large(x : real) -> real = x * 1e10
       |                                    ^
  fix: use a value in the range of the type, or state another type, as in u64(1)
