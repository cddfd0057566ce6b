;;; TOOL: kgrad run {in} --in x=/dev/zero
;;; EXIT: 2
program p {
  workgroup 4
  grid      1
  buffer    x : f32[4] read_write

  x[local_id.x] *= 2.0
}
;;; STDERR:
/dev/zero: error: not a .npy file [npy-magic]
  fix: write it with numpy.save
