#version 450
// A return from the middle of two loops in main, and one through three calls.
//! grid 2
//! buffer 0.0 = f32[256] 0..1
//! buffer 0.1 = f32[64] 7
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[4][64]; };
layout(binding = 1) buffer Y { float y[]; };

float first_above(uint i, float bound) {
  for (int k = 0; k < 4; k++)
    if (x[k][i] > bound) return x[k][i];
  return bound;
}
float twice(uint i) { return first_above(i, 0.5) + first_above(i, 0.9); }
float guarded(uint i) {
  if (i % 5u == 0u) return -1.0;
  return twice(i);
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  y[i] = guarded(i);
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) {
      if (float(a + b) * 0.2 > x[a][i] + 0.5) return;
      y[i] += x[b][i] * 0.125;
    }
  y[i] = 2.0 * y[i];
}
