;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 64
  grid      1
  param     m : i32
  buffer    x : f32[64] read_write

  for k in 0 .. 4 {
    x[local_id.x + k] = 0
    x[m + k] = 0
  }
}
;;; STDERR:
index_conflict.kg:9:9: error: the index k is u32 by its use in line 8, and meets i32 here [index-conflict]
     9 |     x[m + k] = 0
       |         ^
  fix: convert it in one of the two places, for example here: i32(k)
