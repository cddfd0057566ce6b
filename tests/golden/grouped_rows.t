;;; TOOL: kgrad run {in} --in offsets=0,3 --in x=1,2 --in w=5 --device reference
;;; EXIT: 1
module late {
  buffer x : f32[2, 1] read
  buffer w : f32[1, 1, 1] read
  buffer offsets : u32[2] read
  buffer y : f32[2, 1] write
  use primitive matmul_grouped as product
  run product(groups = 1, rows = 2, n = 1, k = 1, x = x, w = w, offsets = offsets, y = y)
}
;;; STDERR:
grouped_rows.kg:6:7: error: assertion failed: an offset lies past the rows: the last is at most their number [assert-failed]
     6 |   use primitive matmul_grouped as product
       |       ^
  fix: pass values for which it holds, or change the kernel
