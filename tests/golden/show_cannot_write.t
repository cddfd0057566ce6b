;;; TOOL: kgrad show {in} -o no/such/folder/out.kg
;;; EXIT: 2
program half {
  workgroup 64
  grid invocations n
  param n : u32 = 100
  buffer x : f32[n] read_write
  let i = global_id.x
  if (i < n) { let twice = x[i] + x[i]; x[i] = twice * 0.25 }   // goes
}
;;; STDERR:
no/such/folder/out.kg: error: cannot write: No such file or directory [cannot-write]
  fix: name a path in a folder that is there, that may be written, and that has room
