#version 450
// A histogram in shared memory, of integers that atomics count, and a float that its mean moves: no counter decides among workgroups.
//! grid 1
//! buffer 0.0 = f32[64] 0..4
//! buffer 0.1 = f32[2] {0.3 0.6}
//! push = rate: f32 0.4
//! grad 0.1 by 0.1
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float light[]; };
layout(std430, binding = 1) buffer B { float adapted[]; };
layout(push_constant) uniform P { float rate; };
shared uint bins[64];
void main() {
  uint t = gl_LocalInvocationIndex;
  bins[t] = 0u;
  barrier();
  atomicAdd(bins[uint(light[t] * 16.0) & 63u], 1u);
  barrier();
  uint weighted = bins[t] * t;
  barrier();
  bins[t] = weighted;
  barrier();
  for (uint s = 32u; s > 0u; s >>= 1) {
    if (t < s) bins[t] += bins[t + s];
    barrier();
  }
  if (t == 0u) adapted[0] = mix(adapted[0], float(bins[0]) / 1024.0, 1.0 - exp(-adapted[1] * rate));
}
