#version 450
// Loops that floats count between literals: forward and back, by a test at the end, with a way out, and one inside of another.
//! grid 1
//! buffer 0.0 = f32[32] 0.1..1
//! buffer 0.1 = f32[160] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

/* A ray that is dimmed: 401 steps in single precision. */
float march(float v) {
  float light = 1.0, seen = 0.0;
  for (float t = 0.0; t < 40.0; t += 0.1) { float s = exp(-t * v); seen += light * s * 0.1; light *= 1.0 - s * 0.1; }
  return seen;
}
float back(float v) {
  float s = v, t = 2.0;
  for (; t >= -1.0; t -= 0.0078125) s = s * 0.99 + sin(s * t) * 0.01;
  return s + t * v;
}
float at_the_end(float v) {
  float s = v, t = 0.25;
  do { s += sin(s) * t; t = t + 0.25; } while (t < 0.5);
  return s + t * v;
}
float left(float v) {
  float s = v;
  for (float t = 0.0; t != 30.0; t += 0.125) { if (s > 2.0) break; s += 0.01 * s * v + t * 0.0001; }
  return s;
}
float nested(float v) {
  float s = 0.0;
  for (float t = 1.0; t <= 2.0; t += 0.25) for (float u = 0.0; u < 1.0; u += 0.3) s += sin(v * t + u);
  return s;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  y[i] = march(x[i]);
  y[i + 32u] = back(x[i]);
  y[i + 64u] = at_the_end(x[i]);
  y[i + 96u] = left(x[i]);
  y[i + 128u] = nested(x[i]);
}
