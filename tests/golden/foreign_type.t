;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 64
  grid      1
  buffer    x : f32[64] read_write

  float v = x[local_id.x];
}
;;; STDERR:
foreign_type.kg:6:3: error: float is not part of the language [foreign-word]
     6 |   float v = x[local_id.x];
       |   ^
  fix: write let v = ..., or var v : f32 = ... if it changes
