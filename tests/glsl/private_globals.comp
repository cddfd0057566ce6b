#version 450
// Globals of one invocation: a scalar with a start value, an array, a nested struct, changed by functions.
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
struct Inner { float w[3]; int count; };
struct Outer { Inner part[2]; vec3 scale; };
float total = 0.5;
float history[6];
Outer state;

void feed(float v) {
  total += v * state.scale[state.part[0].count];
  history[state.part[1].count++] = total;
  state.part[0].count = (state.part[0].count + 1) % 3;
  state.part[state.part[1].count & 1].w[state.part[0].count] += v;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  state.scale = vec3(1.0, -2.0, 0.5);
  for (int p = 0; p < 2; p++) {
    state.part[p].count = 0;
    for (int k = 0; k < 3; k++) state.part[p].w[k] = 0.0;
  }
  for (int k = 0; k < 6; k++) feed(x[(int(i) + k) & 63]);
  float sum = 0.0;
  for (int k = 0; k < 6; k++) sum += history[k] * float(k + 1);
  for (int k = 0; k < 3; k++) sum += state.part[0].w[k] - 2.0 * state.part[1].w[k];
  y[i] = sum;
}
