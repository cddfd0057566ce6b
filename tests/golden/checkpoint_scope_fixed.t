;;; TOOL: kgrad check {in}
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  var square = 0.0
  region checkpoint {
    square = x[0] * x[0]
  }
  x[1] = square
}
;;; STDOUT:
checkpoint_scope_fixed.kg: valid
