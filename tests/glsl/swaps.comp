#version 450
// Values that meet behind branches and loops: swaps in a loop, several values carried, one used after the loop.
//! grid 1
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { vec2 x[]; };
layout(binding = 1) writeonly buffer Y { vec2 y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  float a = x[i].x, b = x[i].y, last = 0.0;
  int k;
  for (k = 0; k < 7; k++) {
    float t = a;
    a = b;
    b = t * 0.5 + b;
    if (b > 1.5) break;
    last = t;
  }
  y[i] = k < 7 ? vec2(a, last) : vec2(b, float(k));
}
