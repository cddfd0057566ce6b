;;; TOOL: kgrad audit {in} b.kg --map dy=grad_y --map dx=grad_x --overwrite
;;; EXIT: 1
program p {
  workgroup 4
  grid      1
  buffer    x : f32[4] read
  buffer    y : f32[4] write

  let i = global_id.x
  y[i] = x[i] * 3.0
}
;;; FILE: b.kg
program b {
  workgroup 4
  grid      1
  buffer    dy : f32[4] read
  buffer    dx : f32[4] read_write

  let i = global_id.x
  dx[i] += 3.0 * dy[i]
}
;;; STDOUT:
the backward: FAILED; 4 reads of what was never written
grad_x: FAILED, 4 of 4 entries, 4 wrong
  grad_x[0]: is 0.575226247, must be 1.17927834; x[0] is -0.188269049
  grad_x[1]: is -0.575172365, must be -0.816075146; x[1] is 0.954031289
  grad_x[2]: is 1.98825848, must be 2.46397787; x[2] is 0.375962555
  grad_x[3]: is -2.26597452, must be -2.46585596; x[3] is 0.445120424
  it is added to what stands there on entry, which nothing zeroes
along 4 random directions: FAILED
FAILED
;;; STDERR:
b.kg:8:3: error: dx[0] is read here by invocation 0 of workgroup 0, and was not written [uninitialised-read]
     8 |   dx[i] += 3.0 * dy[i]
       |   ^
  fix: write it first
