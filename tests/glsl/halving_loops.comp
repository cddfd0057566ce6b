#version 450
// Loops that double and halve, one with a second counter in step, one over the set bits of a number.
//! grid 1
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[128] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { vec4 y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  vec4 r = vec4(0.0);
  for (uint s = 1u; s < 64u; s *= 2u) r.x += x[(i + s) % 64u] / float(s);
  for (uint s = 32u; s >= 1u; s /= 2u) r.y = 0.5 * r.y + x[(i ^ s) % 64u];
  for (uint s = 1u, level = 0u; s <= 16u; s <<= 1, level++) r.z += float(level) * x[(i * s) % 64u];
  for (uint bits = i; bits != 0u; bits &= bits - 1u) r.w += x[findLSB(bits)];
  y[i] = r;
}
