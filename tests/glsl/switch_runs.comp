#version 450
// Cases that run into the next, from inside loops and functions, with values that live on behind.
//! grid 2
//! buffer 0.0 = i32[64] 0..9
//! buffer 0.1 = i32[512] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { int x[]; };
layout(binding = 1) buffer Y { int y[]; };
int several(int k) {
  for (int i = 0; i < 6; i++) {
    switch (k + i) {
    case 2: k += 1; continue;
    case 4: k += 2;
    case 5: k += 4; break;
    case 9: return -k;
    case 7: if (i > 2) return k * 7; k++;
    default: k += 1;
    }
    if (k > 30) return k + i;
  }
  return k;
}
void main() {
  int g = int(gl_GlobalInvocationID.x), n = x[g], at = 8 * g, a = n, b;
  switch (n) { case 0: a += 5; case 3: a *= 2; case 4: a += 1; default: b = a * 3; }
  y[at] = a, y[at + 1] = b + a, y[at + 2] = a - b, y[at + 3] = several(n);
  switch (n & 3) { case 0: a = 1; break; case 1: default: a += 3; case 2: b = a ^ n; }
  y[at + 4] = b, y[at + 5] = a;
  for (int i = 0; i < n; i++) {
    switch (x[i]) { case 1: a ^= 3; continue; case 5: break; case 6: a -= i; default: b += a; if (b > 500) { y[at + 6] = i; return; } }
    a++;
  }
  y[at + 6] = a, y[at + 7] = b;
}
