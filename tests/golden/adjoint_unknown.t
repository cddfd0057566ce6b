;;; TOOL: kgrad check {in}
;;; EXIT: 2
program step adjoint back {
  workgroup 8
  grid      1
  buffer    x : f32[8] read_write

  x[local_id.x] = 2.0
}
;;; STDERR:
adjoint_unknown.kg:1:22: error: no program is named back [no-such-program]
     1 | program step adjoint back {
       |                      ^
  fix: declare it before it runs
