#version 450
// Exposure and a filmic curve over pixels of four floats; alpha stays.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) writeonly buffer Y { vec4 y[]; };
layout(push_constant) uniform P { uint n; float exposure; } p;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= p.n) return;
  const vec3 c = x[i].rgb * x[i].rgb * p.exposure;
  y[i] = vec4(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), x[i].a);
}
