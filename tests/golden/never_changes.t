;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 64
  grid      1
  buffer    x : f32[64] read_write

  let v = x[local_id.x]
  v += 1
}
;;; STDERR:
never_changes.kg:7:3: error: v is a let, which never changes [never-changes]
     7 |   v += 1
       |   ^
  fix: declare it as a var: var v = ...
