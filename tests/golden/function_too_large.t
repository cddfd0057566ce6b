;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  fn f0(a : f32) -> f32 = a + a
  fn f1(a : f32) -> f32 = f0(f0(a))
  fn f2(a : f32) -> f32 = f1(f1(a))
  fn f3(a : f32) -> f32 = f2(f2(a))
  fn f4(a : f32) -> f32 = f3(f3(a))
  fn f5(a : f32) -> f32 = f4(f4(a))
  fn f6(a : f32) -> f32 = f5(f5(a))
  fn f7(a : f32) -> f32 = f6(f6(a))
  fn f8(a : f32) -> f32 = f7(f7(a))
  fn f9(a : f32) -> f32 = f8(f8(a))
  fn f10(a : f32) -> f32 = f9(f9(a))
  fn f11(a : f32) -> f32 = f10(f10(a))
  fn f12(a : f32) -> f32 = f11(f11(a))
  fn f13(a : f32) -> f32 = f12(f12(a))
  fn f14(a : f32) -> f32 = f13(f13(a))
  workgroup 1
  grid 1
}
;;; STDERR:
function_too_large.kg:16:28: error: the number of operations in a function exceeds the limit of 10000 [too-large]
    16 |   fn f14(a : f32) -> f32 = f13(f13(a))
       |                            ^
  fix: keep the number of operations in a function within 10000: split what needs more
