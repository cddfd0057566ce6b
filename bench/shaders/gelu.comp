#version 450
// Gelu by tanh.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; } p;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= p.n) return;
  const float v = x[i];
  y[i] = 0.5 * v * (1.0 + tanh(0.7978845608 * v * (1.0 + 0.044715 * v * v)));
}
