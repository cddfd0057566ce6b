#version 450
// Buffers in the order of their bindings, of which the adjoint needs the second and none of the first.
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  y[i] = a[i] + x[i] * x[i];
}
