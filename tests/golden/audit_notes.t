;;; TOOL: kgrad audit {in} b.kg --map dy=grad_y --map dx=grad_x
program p {
  workgroup 4
  grid      1
  buffer    x : f32[4] read
  buffer    y : f32[4] write
  buffer    z : f32[4] write

  let i = global_id.x
  y[i] = x[i] * 3.0
  z[i] = x[i] * 5.0
}
;;; FILE: b.kg
program b {
  workgroup 4
  grid      1
  buffer    dy : f32[4] read
  buffer    dx : f32[4] write
  buffer    dz : f32[4] write

  let i = global_id.x
  dx[i] = 3.0 * dy[i]
  dz[i] = dy[i]
}
;;; STDOUT:
grad_x: passed, 4 of 4 entries
along 4 random directions: passed
passed
;;; STDERR:
kgrad: note: the backward knows nothing of the output z, whose cotangent is taken to be 0 [audit-unused-output]
  fix: map a buffer to grad_z if there is one
kgrad: note: dz of the backward stands for nothing of the forward, and is not judged [audit-scratch]
  fix: if it is a gradient, say of what, as in dz=grad_x
