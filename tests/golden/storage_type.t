;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  buffer n : u32[8] read_write
  let t = i8(n[0])
}
;;; STDERR:
storage_type.kg:6:11: error: i8 is a storage type; it does not compute [storage-type]
     6 |   let t = i8(n[0])
       |           ^
  fix: compute in i32 and let the store convert
