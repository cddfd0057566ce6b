;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer a : f32 read_write
  program p { workgroup 1 grid 1 buffer x : f32 read_write x = 1 }
  run p
}
;;; STDERR:
unbound_buffer.kg:4:3: error: the run of p binds nothing to its buffer x [unbound-buffer]
     4 |   run p
       |   ^
  fix: add x = ..., a buffer of the module
