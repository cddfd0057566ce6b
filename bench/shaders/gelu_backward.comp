#version 450
// By hand: the product rule, with the derivative of tanh as 1 - t * t.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer G { float grad_y[]; };
layout(binding = 2) writeonly buffer D { float grad_x[]; };
layout(push_constant) uniform P { uint n; } p;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= p.n) return;
  const float v = x[i], square = v * v;
  const float t = tanh(0.7978845608 * v * (1.0 + 0.044715 * square));
  const float slope = 0.7978845608 * (1.0 + 3.0 * 0.044715 * square);
  grad_x[i] = grad_y[i] * 0.5 * (1.0 + t + v * (1.0 - t * t) * slope);
}
