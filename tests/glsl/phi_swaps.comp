#version 450
// Values that change places from trip to trip, and behind branches.
//! grid 2
//! buffer 0.0 = i32[64] 1..200
//! buffer 0.1 = i32[512] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { int x[]; };
layout(binding = 1) buffer Y { int y[]; };
int gcd(int a, int b) { while (b != 0) { int t = a % b; a = b; b = t; } return a; }
void main() {
  int g = int(gl_GlobalInvocationID.x), n = x[g], at = 8 * g;
  int a = n, b = 3, c = 7;
  for (int i = 0; i < (n & 15); i++) { int t = a; a = b; b = c; c = t; if ((i & 3) == 2) { t = a; a = c; c = t; } }
  y[at] = a, y[at + 1] = b, y[at + 2] = c;
  y[at + 3] = gcd(n, x[(g + 1) & 63]);
  int f0 = 0, f1 = 1;
  for (int i = 0; i < (n & 31); i++) { int f = f0 + f1; f0 = f1; f1 = f; if (f > 1000) { f0 = f1; f1 = 0; continue; } if (f == 13) break; }
  y[at + 4] = f0, y[at + 5] = f1;
  int p = n, q = n + 1, old = 0;
  do { old = p; p = q; q = old; if ((q & 1) == 1) q += 2; } while (p + q < 300);
  y[at + 6] = p * 1000 + q, y[at + 7] = old;
}
