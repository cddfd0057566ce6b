#version 450
// Counters that the body, its continuation, or a function moves; bounds that move; steps that are variables.
//! grid 2
//! buffer 0.0 = i32[64] 0..12
//! buffer 0.1 = i32[768] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { int x[]; };
layout(binding = 1) buffer Y { int y[]; };
void skip(inout int a, int b) { if (b > 6) a += 2; }
int take(inout int a) { return a++; }
void main() {
  int g = int(gl_GlobalInvocationID.x), n = x[g], at = 12 * g, s = 0;
  for (int i = 0; i < n; i++) { s += i; if (x[i] > 6) i++; }
  y[at] = s, s = 0;
  for (int i = 0; i < n; i++) { s += i; skip(i, x[i]); }
  y[at + 1] = s, s = 0;
  int b = n;
  for (int i = 0; i < b; i++) { s += i; if (i == 3) b = min(b, 5); }
  y[at + 2] = s, s = 0;
  int t = 1;
  for (int i = 0; i < 40; i += t) { s += i; t++; }
  y[at + 3] = s, s = 0;
  for (int i = 0; i < n; i += 1 + (x[i] & 1)) s += i;
  y[at + 4] = s, s = 0;
  int i = 0;
  do { s += i; } while (++i < n);
  y[at + 5] = s + 100 * i, s = 0, i = 0;
  do { s += i; } while (i++ < n);
  y[at + 6] = s + 100 * i, s = 0, i = 0;
  while (i++ < n) s += i;
  y[at + 7] = s + 100 * i, s = 0, i = 0;
  while (take(i) < n) s += i;
  y[at + 8] = s + 100 * i, s = 0;
  for (int k = 0, m = n; k < m; k++, m--) s += k * m;
  y[at + 9] = s, s = 0;
  for (int k = 0; k < n; k++) for (int j = k; j < n; j += 2) { if (j == 7) break; s += j - k; }
  y[at + 10] = s, s = 0;
  y[at + 11] = 5;
  for (int k = 0; k < y[at + 11]; k++) { s += k; if (k == 2) y[at + 11] = n; if (k > 20) break; }
  y[at + 11] = s;
}
