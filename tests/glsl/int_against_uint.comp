// Signed counters against unsigned bounds, as GLSL compares them: unsigned. And the other way round. They are loops that count.
//! push = n: u32 40
//! grid 1
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! grad 0.1 by 0.0
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  float s = x[i];
  for (int k = 0; k < n; k++) s = s * 0.5 + s * s * x[k];
  for (uint k = 0u; int(k) < 12; k += 5u) s = s * 0.5 + s * s * x[k];
  for (int k = int(i); k < n; k += 16) s = s * 0.5 + s * s * x[k];
  for (int k = -1; k < n; k++) s = 100.0;
  y[i] = s;
}
