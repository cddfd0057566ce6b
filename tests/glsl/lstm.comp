#version 450
// Inference: one step of an LSTM, four gates in a vector.
//! grid 1
//! buffer 0.0 = f32[8] -1..1
//! buffer 0.1 = f32[10] -1..1
//! buffer 0.2 = f32[10] -1..1
//! buffer 0.3 = f32[720] -1..1
//! buffer 0.4 = f32[40] -1..1
//! buffer 0.5 = f32[20] 0
//! push = size: u32 8, hidden: u32 10
//! grad 0.5 by 0.0 0.1 0.2 0.3 0.4
//! near 0.5 1e-5
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) readonly buffer H { float h[]; };
layout(std430, binding = 2) readonly buffer C { float c[]; };
layout(std430, binding = 3) readonly buffer W { vec4 w[]; };
layout(std430, binding = 4) readonly buffer B { vec4 b[]; };
layout(std430, binding = 5) writeonly buffer O { float o[]; };
layout(push_constant) uniform P { uint size, hidden; } p;
float sig(float v) { return 1.0 / (1.0 + exp(-v)); }
void main() {
  uint q = gl_GlobalInvocationID.x;
  if (q >= p.hidden) return;
  vec4 IFOG = b[q];
  for (uint i = 0u; i < p.size; i++) IFOG += x[i] * w[q * (p.size + p.hidden) + i];
  for (uint i = 0u; i < p.hidden; i++) IFOG += h[i] * w[q * (p.size + p.hidden) + p.size + i];
  IFOG.rgb = 1.0 / (1.0 + exp(-IFOG.rgb));
  IFOG.a = tanh(IFOG.a);
  float cell = IFOG.g * c[q] + IFOG.r * IFOG.a;
  o[q] = IFOG.b * tanh(cell);
  o[p.hidden + q] = cell;
}
