;;; TOOL: kgrad check k.kg
;;; EXIT: 2
;;; FILE: k.kg
module m {
  param a : f32 view(offset 4)
  buffer y : f32[64] write
  program k { workgroup 64 grid 1 param a : f32 buffer y : f32[64] write y[global_id.x] = a }
  run k
}
;;; STDERR:
k.kg:2:17: error: expected 'run' or 'repeat' (declarations and programs come first) but found 'view' [syntax]
     2 |   param a : f32 view(offset 4)
       |                 ^
  fix: doc/language.md has the grammar
