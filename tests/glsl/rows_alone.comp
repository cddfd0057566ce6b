#version 450
// Rows with gaps behind which fields of another type lie, from the first byte of the first binding: its buffer is a view all the same.
//! grid 1
//! buffer 0.0 = 4 * (f32[2] -1..1, pad 8), i32[4] 0
//! buffer 0.1 = f32[8] 0
//! grad 0.1 by 0.0
layout(local_size_x = 8) in;
layout(std140, binding = 0) readonly buffer M { mat4x2 m; ivec4 other; };
layout(binding = 1) buffer Y { float y[]; };

void main() {
  uint g = gl_GlobalInvocationID.x;
  y[g] = 2.0 * m[g & 3u][g >> 2] - m[3][g & 1u];
}
