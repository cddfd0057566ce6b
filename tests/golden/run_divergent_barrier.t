;;; TOOL: kgrad run {in} --device reference
;;; EXIT: 1
program p {
  workgroup 8
  grid      1
  buffer    y : f32[8] write
  shared    s : f32[8]
  let i = local_id.x
  if i < 5 {
    s[i] = 1.0
    barrier
    y[i] = s[7 - i]
  }
}
;;; STDERR:
run_divergent_barrier.kg:9:5: error: only 5 of 8 invocations of the workgroup reach this barrier [divergent-barrier]
     9 |     barrier
       |     ^
  fix: move it where all arrive together
