;;; TOOL: kgrad grad {in} -o g.kg
;;; TOOL: kgrad run g.kg --in x=1,2,3 --out grad_x=-
program square_sum {
  workgroup 1
  grid      1
  buffer    x : f32[3] read
  buffer    loss : f32[1] write
  var s = 0.0
  for i in 0 .. 3 { s += x[i] * x[i] }
  loss[0] = s
}
;;; STDOUT:
grad_x : f32[3] =
 2 4 6
;;; STDERR:
kgrad: note: grad_loss is 1, as the cotangent of a loss [unit-cotangent]
  fix: give --in grad_loss=VALUE where another is meant
