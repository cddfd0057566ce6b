;;; TOOL: kgrad check k.kg
;;; EXIT: 2
;;; FILE: k.kg
program k {
  workgroup 64
  grid 1
  param flag : bool view(offset 0)
  buffer y : f32[64] write
  y[global_id.x] = select(flag, 1.0, 2.0)
}
;;; STDERR:
k.kg:4:9: error: param flag of type bool cannot have a place in a host's block [param-place-type]
     4 |   param flag : bool view(offset 0)
       |         ^
  fix: declare it with a type of 4 or 8 bytes and convert it, or state no place
