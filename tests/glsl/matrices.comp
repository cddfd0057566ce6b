#version 450
// Matrices in storage of both majorities: products, transpose, columns, outer product, sums.
//! grid 1
//! buffer 0.0 = 16 * (f32[2] -1..1, f32[2] 1..2), 16 * (2 * (f32[3] -1..1, pad 4), pad 0)
//! buffer 0.1 = f32[256] 0
//! grad 0.1 by 0.0
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { mat2 a[16]; layout(row_major) mat3x2 b[16]; };
layout(std430, binding = 1) writeonly buffer Out { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  mat2 m = a[i] + mat2(3.0);
  mat3x2 n = b[i];
  mat2 p = m * n * transpose(n);
  vec3 v = m[0] * n;
  mat2 q = 0.5 * m - mat2(1.0, 2.0, 3.0, 4.0);
  mat2 o = outerProduct(m[1], vec2(0.5, -1.0)) * 0.25;
  mat2 c = matrixCompMult(m, q);
  uint base = 16u * i;
  y[base] = p[0][0];
  y[base + 1u] = p[0][1];
  y[base + 2u] = p[1][0];
  y[base + 3u] = p[1].y;
  y[base + 4u] = v.x;
  y[base + 5u] = v.y;
  y[base + 6u] = v.z;
  y[base + 7u] = (m + q)[0].x;
  y[base + 8u] = q[0][0];
  y[base + 9u] = q[1][0];
  y[base + 10u] = o[1][i % 2u];
  y[base + 11u] = c[0][1];
  y[base + 12u] = b[i][2].y;
  y[base + 13u] = (m - q)[1][1];
  y[base + 14u] = (-m)[0][0];
  y[base + 15u] = dot(m * vec2(1.0, 2.0), vec2(1.0));
}
