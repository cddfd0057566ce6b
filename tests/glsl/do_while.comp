#version 450
// do-while, a countdown, a loop with `!=` as its bound, and one in steps of three.
//! grid 1
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[128] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  float a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  uint k = 0u;
  do { a += x[(i + k) % 64u]; k++; } while (k < 5u);
  for (int j = 7; j >= 0; j--) b = b * 0.5 + x[(i + uint(j)) % 64u];
  for (uint j = i; j != i + 6u; j++) c += x[j % 64u] * float(j - i);
  for (uint j = 1u; j < 20u; j += 3u) d += x[(i * j) % 64u];
  y[4u * i] = a;
  y[4u * i + 1u] = b;
  y[4u * i + 2u] = c;
  y[4u * i + 3u] = d;
}
