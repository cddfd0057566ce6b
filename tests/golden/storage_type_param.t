;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  param a : bf16
}
;;; STDERR:
storage_type_param.kg:4:13: error: bf16 is a storage type; it does not compute [storage-type]
     4 |   param a : bf16
       |             ^
  fix: compute in f32 and let the store convert
