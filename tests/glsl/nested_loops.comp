#version 450
// Loops three deep, triangular bounds, an exit of the outer loop through a flag, a loop without trips.
//! grid 1
//! buffer 0.0 = f32[512] -1..1
//! buffer 0.1 = f32[32] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

void main() {
  int i = int(gl_GlobalInvocationID.x);
  float r = 0.0;
  bool done = false;
  for (int a = 0; a < 4 && !done; a++) {
    for (int b = a; b < 4; b++) {
      for (int c = 0; c < b - a; c++) r += x[16 * i + 4 * a + b] * x[16 * i + c];
      if (b == (i & 3) + 2) { done = true; break; }
    }
  }
  for (int k = i; k < 0; k++) r = 0.0;
  y[i] = r;
}
