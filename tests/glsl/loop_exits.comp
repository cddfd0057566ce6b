#version 450
// Loops left from anywhere: break in a branch, in an inner loop, continue, a return in the middle.
//! grid 2
//! buffer 0.0 = i32[64] 1..200
//! buffer 0.1 = i32[128] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { int x[]; };
layout(binding = 1) buffer Y { int y[]; };

void main() {
  int i = int(gl_GlobalInvocationID.x), n = x[i], steps = 0;
  for (int k = 0; k < 100; k++) {
    if (n == 1) break;
    steps++;
    if ((n & 1) == 0) { n >>= 1; continue; }
    n = 3 * n + 1;
    bool big = false;
    for (int j = 0; j < 4; j++) {
      if (n > (1000 << j)) big = true;
      else break;
    }
    if (big && steps > 60) { y[2 * i] = -steps; return; }
  }
  y[2 * i] = steps;
  y[2 * i + 1] = n;
}
