;;; TOOL: kgrad run {in} --device reference
;;; EXIT: 1
program p {
  workgroup 8
  grid      1
  buffer    y : u32[8] write view(set 0, binding 0, offset 0, stride 8)
  y[local_id.x] = 1
}
;;; STDERR:
run_view_on_reference.kg:4:13: error: a view is not done by the reference interpreter yet [not-on-reference]
     4 |   buffer    y : u32[8] write view(set 0, binding 0, offset 0, stride 8)
       |             ^
  fix: declare a buffer of its own, and index it with the stride
