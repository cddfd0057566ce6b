#version 450
// A gate: silu of one input times the other one.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; } p;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= p.n) return;
  y[i] = a[i] / (1.0 + exp(-a[i])) * b[i];
}
