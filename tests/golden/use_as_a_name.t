;;; TOOL: kgrad show {in}
program use {
  workgroup 1
  grid      1
  buffer    use_ : f32[4] write
  let use = 1.0
  use_[0] = use
}
;;; STDOUT:
program use {
  workgroup 1
  grid      1
  buffer    use_ : f32[4] write

  use_[0] = 1.0
}
