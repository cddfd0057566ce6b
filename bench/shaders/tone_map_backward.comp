#version 450
// By hand: the quotient rule in each channel.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) readonly buffer G { vec4 grad_y[]; };
layout(binding = 2) writeonly buffer D { vec4 grad_x[]; };
layout(push_constant) uniform P { uint n; float exposure; } p;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= p.n) return;
  const vec3 v = x[i].rgb, c = v * v * p.exposure;
  const vec3 top = c * (2.51 * c + 0.03), bottom = c * (2.43 * c + 0.59) + 0.14;
  const vec3 slope = ((5.02 * c + 0.03) * bottom - top * (4.86 * c + 0.59)) / (bottom * bottom);
  grad_x[i] = vec4(grad_y[i].rgb * slope * 2.0 * p.exposure * v, grad_y[i].a);
}
