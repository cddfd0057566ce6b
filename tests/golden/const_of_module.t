;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  const T = 64
  buffer x : f32[T] read_write
}
;;; STDERR:
const_of_module.kg:2:3: error: const belongs to a program, and not to the module around it [not-of-module]
     2 |   const T = 64
       |   ^
  fix: write it in each program that needs it; for lengths alone, a param of the module with a default does
