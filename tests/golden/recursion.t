;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  fn f(a : f32) -> f32 = f(a)
}
;;; STDERR:
recursion.kg:4:26: error: f calls itself [recursion]
     4 |   fn f(a : f32) -> f32 = f(a)
       |                          ^
  fix: write a loop: functions are inlined where they are called
