;;; TOOL: kgrad grad {in} --mode forward --directions 2 --of y --wrt x --wrt a --explain
program p {
  workgroup 4
  grid      invocations n
  param     n : u32 = 6
  param     a : f32 = 2.0
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  shared    s : f32[4]
  let i = global_id.x
  s[local_id.x] = a * x[i]
  barrier
  var t = 1.0
  var k = 0
  while t < 8.0 && k < 3 {
    t = t + s[3 - local_id.x]
    k += 1
  }
  y[i] = sin(t)
}
;;; STDOUT:
program p_jvp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 6
  param     a : f32 = 2.0
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  buffer    tan_x : f32[2, n] read
  buffer    tan_y : f32[2, n] write
  buffer    tan_a : f32[2] read
  shared    s : f32[4]
  shared    tan_s : f32[4]
  shared    tan_s_1 : f32[4]

  let tan_a1 = tan_a[0]
  let tan_a2 = tan_a[1]
  let x1 = x[global_id.x]
  s[local_id.x] = a * x1
  let tan_x1 = tan_x[0, global_id.x]
  tan_s[local_id.x] = mulz(tan_a1, x1) + mulz(tan_x1, a)
  let tan_x2 = tan_x[1, global_id.x]
  tan_s_1[local_id.x] = mulz(tan_a2, x1) + mulz(tan_x2, a)
  barrier
  var t = 1.0
  var tan_t = 0.0
  var tan_t_1 = 0.0
  var k = 0
  let t1 = 3 - local_id.x
  while t < 8.0 && k < 3 {
    t += s[t1]
    tan_t += tan_s[t1]
    tan_t_1 += tan_s_1[t1]
    k += 1
  }
  let t2 = t
  y[global_id.x] = sin(t2)
  let tan_t1 = tan_t
  let t3 = cos(t2)
  tan_y[0, global_id.x] = mulz(tan_t1, t3)
  tan_y[1, global_id.x] = mulz(tan_t_1, t3)
}
;;; STDERR:
tan_x: tangent on entry of x; it is computed beside its values
tan_y: tangent on exit of y; it is computed beside its values
tan_a: tangent on entry of a; it is computed beside its values
