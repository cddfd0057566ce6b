;;; TOOL: kgrad check {in} {in}
// The smallest kernel that does something.
program one {
  workgroup 1
  grid      1
  buffer    x : f32[1] read_write
  x[0] = x[0] * 2.0
}
;;; STDOUT:
check.kg: valid
check.kg: valid
