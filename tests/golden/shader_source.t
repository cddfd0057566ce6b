;;; TOOL: kgrad show shader.comp -D SCALE=3.0
;;; FILE: shader.comp
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < x.length()) y[i] = SCALE * x[i] * x[i];
}
;;; STDOUT:
program shader {
  workgroup 64
  grid      groups_x
  param     groups_x : u32
  buffer    x : f32[] read
  buffer    y : f32[] write

  if global_id.x < u32(i32(len(x))) {
    let x1 = x[global_id.x]
    y[global_id.x] = 3.0 * x1 * x1
  }
}
