#version 450
// Determinants and inverses of matrices of two, three and four columns.
//! grid 1
//! buffer 0.0 = 8 * (f32[16] -1..1)
//! buffer 0.1 = f32[48] 0
//! grad 0.1 by 0.0
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer X { mat4 x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x, at = 6u * i;
  mat4 m = x[i] + mat4(3.0);
  mat3 n = mat3(m);
  mat2 o = mat2(m);
  y[at] = determinant(o);
  y[at + 1u] = determinant(n);
  y[at + 2u] = determinant(m);
  y[at + 3u] = dot(inverse(o) * vec2(1.0, 2.0), vec2(0.5));
  y[at + 4u] = dot(inverse(n)[1], vec3(1.0, 2.0, 3.0));
  y[at + 5u] = dot(inverse(m)[2], vec4(1.0, -2.0, 3.0, -4.0));
}
