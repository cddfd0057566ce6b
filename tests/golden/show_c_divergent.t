;;; TOOL: kgrad show {in} --as c
;;; EXIT: 1
program left {
  workgroup 8
  grid 1
  buffer x : f32[8] read
  buffer y : f32[8] read_write
  for j in 0 .. 4 {
    if local_id.x < 4 {
      if x[0] > 100.0 { barrier }
      if x[1] > 2.0 { break }
      y[local_id.x] = y[local_id.x] + 1.0
    }
  }
}
;;; STDERR:
show_c_divergent.kg:7:5: error: some invocations of a workgroup may take this branch of left and others not; there is a barrier in it that nobody need come to, and a jump out of it to a loop [c-divergent]
     7 |     if local_id.x < 4 {
       |     ^
  fix: leave the loop outside of the branch, or take the barrier out of it
