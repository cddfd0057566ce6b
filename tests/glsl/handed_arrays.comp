#version 450
// Arrays handed on by value in loops: a copy that is changed is no longer what it was made of, which the next trip looks at again.
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! buffer 0.2 = f32[64] 0
//! grad 0.1 by 0.0
//! grad 0.2 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer Z { float z[]; };

float doubled(float v[4], int from) { // of its own copy
  float s = 0.0;
  for (int k = from; k < 4; k++) {
    v[k] *= 2.0;
    s += v[k] * v[from];
  }
  return s;
}
void turn(inout float v[4], int by) {
  float was = v[by & 3];
  v[by & 3] = v[(by + 1) & 3] * 0.5;
  if (by > 4) return;
  v[(by + 1) & 3] = was;
}
float[4] shifted(float v[4], int by) {
  float w[4];
  for (int k = 0; k < 4; k++) w[k] = v[(k + by) & 3];
  return w;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  int by = int(i & 7u);
  float v[4];
  for (int k = 0; k < 4; k++) v[k] = x[i] + 0.25 * float(k);
  float r = 0.0, q = 0.0;
  for (int t = 0; t < 3; t++) {
    r += doubled(v, t);
    if (r > 40.0) break;
    turn(v, by + t);
    q += v[(by + t) & 3];
  }
  float w[4] = v, u[4] = shifted(v, by);
  w[by & 3] += x[i];
  v[3] *= 3.0;
  for (int k = 0; k < 4; k++) r += w[k] * v[(k + by) & 3] - u[k] * w[(k + by) & 3];
  y[i] = r;
  z[i] = q;
}
