#version 450
// What a counting loop leaves behind: values stored where it ends, and where it is left otherwise.
//! grid 2
//! buffer 0.0 = i32[64] 0..12
//! buffer 0.1 = i32[512] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { int x[]; };
layout(binding = 1) buffer Y { int y[]; };

void main() {
  int g = int(gl_GlobalInvocationID.x), n = x[g], at = 8 * g;
  int r = 7, i;
  for (i = 0;; i++) {
    if (i >= n) { r = 5; break; }
    if (x[(g + i) & 63] > 9) break;
  }
  y[at] = r, y[at + 1] = i;
  int q = 3, k = 0;
  for (;;) {
    q = k * 3;
    if (k >= n) break;
    if (x[(g + k) & 63] == 4) { q = -1; break; }
    k++;
  }
  y[at + 2] = q, y[at + 3] = k;
  int j = n;
  for (; j >= 0; --j) if (x[(g + j) & 63] == 2) break;
  y[at + 4] = j;
  uint u = uint(n);
  for (; u > 0u; u--) if (x[(g + int(u)) & 63] == 3) { u += 100u; break; }
  y[at + 5] = int(u);
  int last = -1, m = 0;
  for (; m < n; m += 3) { last = m; if (x[m] == 11) continue; if (x[m] == 1) break; }
  y[at + 6] = last, y[at + 7] = m;
}
