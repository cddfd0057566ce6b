#version 450
// Loops whose step is a constant: one that is below 0, and one that is 0, do not count up to their bound, but are left elsewhere.
//! grid 1
//! buffer 0.0 = f32[8] {3 1 4 1 5 9 2 6}
//! buffer 0.1 = f32[32] 0
//! grad 0.1 by 0.0
layout(local_size_x = 8) in;
layout(constant_id = 0) const int back = -1;
layout(constant_id = 1) const uint none = 0u;
layout(constant_id = 2) const int two = 2;
layout(constant_id = 3) const uint three = 3u;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };

void main() {
  uint g = gl_GlobalInvocationID.x;
  float a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  for (int i = 3; i < 5; i += back) {
    if (i < 0) break;
    a = 0.5 * a + x[i];
  }
  int trips = 0;
  for (uint i = 3u; i < 5u; i += none) {
    if (trips++ == 4) break;
    b = 0.5 * b + x[i];
  }
  for (int i = 1; i < 6; i += two) c = 0.5 * c + x[i];
  for (uint i = 0u; i < 8u; i += three) d = 0.5 * d + x[i];
  y[g] = a, y[8u + g] = b, y[16u + g] = c, y[24u + g] = d;
}
