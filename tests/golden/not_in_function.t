;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  fn f(a : u32) -> u32 = a + global_id.x
}
;;; STDERR:
not_in_function.kg:4:30: error: a function computes from its parameters alone [not-in-function]
     4 |   fn f(a : u32) -> u32 = a + global_id.x
       |                              ^
  fix: pass it as a parameter
