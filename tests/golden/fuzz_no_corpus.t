;;; TOOL: kgrad fuzz --property passes --from {in}
;;; EXIT: 2
program race {
  workgroup 8
  grid      1
  buffer    y : f32[1] write
  y[0] = f32(local_id.x)
}
;;; STDERR:
fuzz_no_corpus.kg: error: no kernel here runs as it is, without a race [no-corpus]
  fix: name kernels, or a folder of them, that kgrad run takes without more options
