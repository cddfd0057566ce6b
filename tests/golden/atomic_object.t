;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  var v = 0
  atomic_add(v, 1)
}
;;; STDERR:
atomic_object.kg:7:3: error: atomics act on buffers and shared memory of a computing type, and v is not [atomic-object]
     7 |   atomic_add(v, 1)
       |   ^
  fix: move v to a buffer or to shared memory, of type i32, u32 or f32
