#version 450
// Sides of branches that a constant decides: the other sides are not imported. What is left goes on, leaves the loop, or ends the
// invocation.
//! grid 2
//! const 0 = u32 8
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! buffer 0.2 = f32[64] 0
//! grad 0.1 by 0.0
//! grad 0.2 by 0.0
layout(constant_id = 0) const uint L = 8;
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(set = 0, binding = 2) buffer Z { float z[]; };

float apart(float v) {
  if (L > 32u) return v + 1.0;
  return v * v;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  float v = x[i];
  for (int k = 0; k < 3; k++) {
    switch (L) {
    case 4u:
    case 8u: v = v * 0.25; break;
    case 16u: v = v * 2.0;
    case 32u: v *= 3.0; break;
    default: v = v - 1.0;
    }
    if (L == 32u) break;
    if (L < 8u) continue;
    v = sin(v + apart(x[i]));
    y[i] = v;
    if (L > 64u) return;
  }
  z[i] = v * x[i];
  if (L == 8u) return;
  z[i] = 0.0;
}
