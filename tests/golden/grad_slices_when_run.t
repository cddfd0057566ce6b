;;; TOOL: kgrad grad {in} --of y --wrt x -o adjoint.kg
;;; TOOL: kgrad run adjoint.kg --in x=ones --param n=1
;;; EXIT: 2
module m {
  param  n : u32
  buffer x : f32[9] read
  buffer y : f32[8] write
  program differ {
    workgroup 8
    grid      1
    buffer    a : f32[8] read
    buffer    b : f32[8] read
    buffer    y : f32[8] write

    y[local_id.x] = b[local_id.x] - a[local_id.x]
  }
  run differ(a = x[n .. n + 8], b = x[n - 1 .. n + 7])
}
;;; STDERR:
kgrad: note: random values of seed 1 are in grad_y [random-data]
  fix: give --in NAME=FILE, NAME=1,2,3, NAME=ones or NAME=zeros; NAME=random says that they are meant
adjoint.kg:34:3: error: the run of differ_grad binds grad_x[0 .. 8] and grad_x[1 .. 9], and may write one of them [bind-overlap]
    34 |   run differ_grad(a = x[n .. n + 8], b = x[n - 1 .. n + 7], grad_a = grad_x[n .. n + 8], grad_b = gr
       |   ^
  fix: let the slices have no element in common, or copy one into another buffer
