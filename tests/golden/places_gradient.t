;;; TOOL: kgrad grad {in} -o g.kg
;;; TOOL: kgrad run g.kg --device reference --in a=1,2,3,4 --in grad_y=1,1,1,1
// By hand: y = 1*2, 2*0, 3*4, 4*0, as the column behind the last is outside and not the next row. So the gradient of a is
// 2, 1 + 0, 4, 3 + 0; were a[0, 2] the element a[1, 0], it would be 2, 1 + 3, 2 + 4, 3.
program p {
  workgroup 2, 2
  grid 1
  buffer a : f32[2, 2] read
  buffer y : f32[2, 2] write
  y[local_id.y, local_id.x] = a[local_id.y, local_id.x] * a[local_id.y, local_id.x + 1]
}
;;; STDOUT:
y : f32[2, 2] = 2 0 12 0
grad_a : f32[2, 2] = 2 1 4 3
;;; STDERR:
kgrad: note: out of bounds: 2 loads, which gave 0, and 2 stores, which were dropped; the first at 17:14
