#version 450
// By hand: with s = 1 / (1 + exp(-a)), the derivative of a * s is s * (1 + a * (1 - s)).
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) readonly buffer G { float grad_y[]; };
layout(binding = 3) writeonly buffer DA { float grad_a[]; };
layout(binding = 4) writeonly buffer DB { float grad_b[]; };
layout(push_constant) uniform P { uint n; } p;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= p.n) return;
  const float v = a[i], g = grad_y[i], s = 1.0 / (1.0 + exp(-v));
  grad_a[i] = g * b[i] * s * (1.0 + v * (1.0 - s));
  grad_b[i] = g * v * s;
}
