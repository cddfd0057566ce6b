;;; TOOL: kgrad show shader.comp --grid 2
;;; FILE: shader.comp
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
// The rows of q are all that is used of binding 0, and begin at byte 0: they are a view all the same.
layout(local_size_x = 8) in;
struct S { float16_t q[3]; float d; };
layout(std430, set = 0, binding = 0) readonly buffer A { S a[]; };
layout(std430, set = 0, binding = 1) buffer B { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= y.length()) return;
  float s = 0.0;
  for (int c = 0; c < 3; c++) s += float(a[i].q[c]) * float(a[i].q[c]);
  y[i] = sin(s);
}
;;; STDOUT:
program shader {
  workgroup 8
  grid      2
  buffer    q : f16[] read view(set 0, binding 0, offset 0, stride 2, row 3 every 12)
  buffer    y : f32[] write view(set 0, binding 1, offset 0, stride 4)

  if global_id.x < u32(i32(len(y))) {
    var s = 0.0
    let t1 = i32(global_id.x) * 3
    for c in 0 .. 3 {
      let t2 = f32(q[t1 + c])
      s += t2 * t2
    }
    y[global_id.x] = sin(s)
  }
}
