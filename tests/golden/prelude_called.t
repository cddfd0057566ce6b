;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  fn twice(v : f32) -> f32 = 2.0 * sigmoid(v)
  fn sigmoid(v : f32) -> f32 = v
  x[1] = twice(sigmoid(x[1]))
}
;;; STDERR:
prelude_called.kg:6:6: error: line 5 calls sigmoid already, and means the prelude's function [prelude-called]
     6 |   fn sigmoid(v : f32) -> f32 = v
       |      ^
  fix: declare it before that call, or choose another name
