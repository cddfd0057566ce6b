#version 450
// Loops that count, and go on while something holds of floats, which compilers compute in a branch. Without the count, 256 trips are kept,
// and some take more.
//! grid 2
//! buffer 0.0 = f32[50] 0.1..1
//! buffer 0.1 = f32[50] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= 50u) return;
  float a = 0.0, b = x[i], c = x[i], d = 1.0, e = 0.5;
  for (int k = 0; k < 400 && a * a < 50.0; k++) a += 0.004 * x[i] + 0.001 * a * x[i];
  int n = 0;
  while (true) {
    if (n >= 30 || b * b > 4.0) break;
    b = b * b + 0.3;
    n++;
  }
  n = 0;
  do {
    c = sin(c) * 1.1;
    n++;
  } while (n < 20 && c * c > 0.01);
  for (uint k = 0u; k < 50u && x[k] > 0.05; k++) d *= 0.9 + 0.1 * x[i] * x[k];
  for (uint k = 0u; true; k++) {
    bool goes = false;
    if (k < 9u) goes = sqrt(e) < 3.0;
    if (!goes) break;
    e *= 1.0 + x[i];
  }
  float t[6], f = 0.0; // of which the last two are not set, nor asked
  for (int k = 0; k < 4; k++) t[k] = x[i] * float(k);
  uint at = 0u;
  do {
    f += t[at] * t[at];
    at++;
  } while (at < 4u && t[at] < 9.0);
  float g = x[i];
  for (uint k = 0u; k < 300u && g < 2.0 && g > 0.01; k++) g = sin(g) + 0.001 * x[i];
  y[i] = g + a + b * c + d * e + f;
}
