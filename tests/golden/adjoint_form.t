;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer x : f32[8] read_write
  program step adjoint back {
    workgroup 8
    grid      1
    param     a : f32 = 2.0
    buffer    x : f32[8] read_write

    x[local_id.x] *= a
  }
  program back adjoint step {
    workgroup 8
    param     a : f32 = 3.0
    buffer    x : f32[8] read_write
    buffer    grad_x : f32[4] read_write
    buffer    part : f32[8] read
    buffer    grad_a : f32 read_write

    x[local_id.x] = part[0] * grad_x[0] * a
  }
  run step
}
;;; STDERR:
adjoint_form.kg:11:11: error: back, which is stated to be the adjoint of step, names one itself [adjoint-form]
    11 |   program back adjoint step {
       |           ^
  fix: let it name none
adjoint_form.kg:11:11: error: back, which is stated to be the adjoint of step, states no grid, and no run does [adjoint-form]
    11 |   program back adjoint step {
       |           ^
  fix: state its grid
adjoint_form.kg:14:15: error: back, which is stated to be the adjoint of step, does not declare x as it has to [adjoint-form]
    14 |     buffer    x : f32[8] read_write
       |               ^
  fix: declare it with the extents of x, of type f32 and `read`, without range or view
adjoint_form.kg:15:15: error: back, which is stated to be the adjoint of step, does not declare grad_x as it has to [adjoint-form]
    15 |     buffer    grad_x : f32[4] read_write
       |               ^
  fix: declare it with the extents of x, of type f32 and `read_write`, without range or view
adjoint_form.kg:17:15: error: back, which is stated to be the adjoint of step, does not declare grad_a as it has to [adjoint-form]
    17 |     buffer    grad_a : f32 read_write
       |               ^
  fix: declare it with one element, as [1], of type f32 and `read_write`, without range or view
adjoint_form.kg:16:15: error: back, which is stated to be the adjoint of step, has a buffer part, which is no buffer of that one, and no grad_ of a float there [adjoint-form]
    16 |     buffer    part : f32[8] read
       |               ^
  fix: keep such values in shared memory or vars, or in a buffer of both
adjoint_form.kg:13:15: error: back, which is stated to be the adjoint of step, has a param a, and that one has none like it [adjoint-form]
    13 |     param     a : f32 = 3.0
       |               ^
  fix: declare it in both, with the same type and default
adjoint_form.kg:3:11: error: step, which is stated to be the adjoint of back, names one itself [adjoint-form]
     3 |   program step adjoint back {
       |           ^
  fix: let it name none
adjoint_form.kg:7:15: error: step, which is stated to be the adjoint of back, does not declare x as it has to [adjoint-form]
     7 |     buffer    x : f32[8] read_write
       |               ^
  fix: declare it with the extents of x, of type f32 and `read`, without range or view
adjoint_form.kg:6:15: error: step, which is stated to be the adjoint of back, has a param a, and that one has none like it [adjoint-form]
     6 |     param     a : f32 = 2.0
       |               ^
  fix: declare it in both, with the same type and default
