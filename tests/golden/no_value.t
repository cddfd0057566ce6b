;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  n[0] = atomic_store(n[1], 2)
}
;;; STDERR:
no_value.kg:6:10: error: atomic_store has no value [no-value]
     6 |   n[0] = atomic_store(n[1], 2)
       |          ^
  fix: write it as a statement of its own
