#version 450
// Inference: gelu by tanh, silu and a clipped relu, chosen by a specialization constant.
//! grid 2
//! const 1 = i32 0
//! buffer 0.0 = f32[120] -3..3
//! buffer 0.1 = f32[120] 0
//! push = n: u32 120
//! grad 0.1 by 0.0
layout(local_size_x = 64) in;
layout(constant_id = 1) const int KIND = 2;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; } p;

float gelu(float v) {
  const float root = 0.79788456080286535588, cubic = 0.044715;
  return 0.5 * v * (2.0 - 2.0 / (exp(2.0 * root * v * (1.0 + cubic * v * v)) + 1.0));
}
float silu(float v) { return v / (1.0 + exp(-v)); }

void main() {
  const uint i = gl_GlobalInvocationID.z * 262144u + gl_GlobalInvocationID.y * 512u + gl_GlobalInvocationID.x;
  if (i >= p.n) return;
  switch (KIND) {
    case 0: y[i] = gelu(x[i]); break;
    case 1: y[i] = silu(x[i]); break;
    default: y[i] = clamp(x[i], 0.0, 6.0); break;
  }
}
