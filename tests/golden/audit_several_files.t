;;; TOOL: kgrad audit {in} dx.kg da.kg --map dy=grad_y --map dx:out=grad_x --map da:out=grad_a --param da:groups=1 --device reference
program p {
  workgroup 4
  grid      groups
  param     groups : u32 = 3
  buffer    a : f32[4] read
  buffer    x : f32[12] read
  buffer    y : f32[12] write

  let i = global_id.x
  y[i] = a[i % 4] * x[i]
}
;;; FILE: dx.kg
program dx {
  workgroup 4
  grid      groups
  param     groups : u32
  buffer    a : f32[4] read
  buffer    dy : f32[12] read
  buffer    out : f32[12] write

  let i = global_id.x
  out[i] = a[i % 4] * dy[i]
}
;;; FILE: da.kg
program da {
  workgroup 4
  grid      groups
  param     groups : u32
  buffer    x : f32[12] read
  buffer    dy : f32[12] read
  buffer    out : f32[4] write

  let i = global_id.x
  out[i] = dy[i] * x[i] + dy[i + 4] * x[i + 4] + dy[i + 8] * x[i + 8]
}
;;; STDOUT:
grad_a: passed, 4 of 4 entries
grad_x: passed, 12 of 12 entries
along 4 random directions: passed
passed
