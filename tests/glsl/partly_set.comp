#version 450
// Structs and arrays of which only a part is set, handed on by value, by inout and as results; nobody uses the rest.
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
struct Hit { float t; vec3 normal; float w[4]; };

void grow(inout Hit h, float by, int at) { h.t += by; h.w[at] = by * h.t; }
float seen(Hit h, int k) { return h.t * h.normal.x + h.w[2] + h.w[k]; }
float total(float v[8], int n) {
  float s = 0.0;
  for (int k = 0; k < n; k++) s += v[k] * v[k];
  return s;
}
float scaled(float v[8], int n, float by) { // changes its copy, and not what it was called with
  for (int k = 0; k < n; k++) v[k] *= by;
  return total(v, n);
}
Hit found(float a, int n) {
  Hit h;
  h.t = a;
  for (int k = 1; k < n; k++) h.w[k] = a * a * float(k);
  return h;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  int n = int(i & 3u) + 1;
  Hit h = found(x[i], 4);
  h.normal.x = 2.0 * x[i];
  grow(h, 0.5, n < 3 ? 2 : 3);
  Hit g = h;
  g.w[2] *= 3.0; // h keeps its own
  float v[8];
  for (int k = 0; k < n; k++) v[k] = x[i] + float(k);
  float r = total(v, n);
  r += scaled(v, n, 1.5);
  y[i] = seen(g, 3) + h.w[2] + r + v[n - 1];
}
