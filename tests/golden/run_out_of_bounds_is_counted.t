;;; TOOL: kgrad run {in} --device reference
program p {
  workgroup 8
  grid      1
  buffer    y : f32[6] write
  y[global_id.x] = 1.0
}
;;; STDOUT:
y : f32[6] = 1 1 1 1 1 1
;;; STDERR:
kgrad: note: out of bounds: 0 loads, which gave 0, and 2 stores, which were dropped; the first at 5:3
