;;; TOOL: kgrad run {in} --out y=a.npy --out z=no/such/folder.npy
;;; EXIT: 2
;;; ABSENT: *
// The assertion would fail if the kernel ran.
program p {
  workgroup 1
  grid      1
  buffer    y : f32[1] write
  buffer    z : f32[1] write
  assert global_id.x > 0 "it ran"
  y[0] = 1.0
  z[0] = 1.0
}
;;; STDERR:
no/such/folder.npy: error: cannot write: No such file or directory [cannot-write]
  fix: name a path in a folder that is there, that may be written, and that has room
