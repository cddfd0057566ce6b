#version 450
// Arrays whose length a constant says, handed on by loops and branches: an optimiser joins them by phis, which are arrays as well.
//! grid 2
//! const 0 = u32 3
//! push = n: u32 5, most: u32 3
//! buffer 0.0 = f32[32] -1..1
//! buffer 0.1 = f32[96] 0
//! grad 0.1 by 0.0
layout(local_size_x = 16) in;
layout(constant_id = 0) const uint T = 2;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; uint most; };

void zero(inout float acc[T]) { for (uint t = 0u; t < T; t++) acc[t] = 0.0; }
void add(inout float acc[T], uint k) { for (uint t = 0u; t < T; t++) acc[t] += x[k * T + t] * x[gl_GlobalInvocationID.x]; }
void turn(inout float acc[T]) {
  for (uint t = 0u; t + 1u < T; t++) { float a = acc[t]; acc[t] = acc[t + 1u]; acc[t + 1u] = 0.5 * a; }
}
void keep(float acc[T], out float to[T]) { for (uint t = 0u; t < T; t++) to[t] = acc[t]; }
void put(float acc[T], float saved[T]) { for (uint t = 0u; t < T; t++) y[gl_GlobalInvocationID.x * T + t] = acc[t] + 2.0 * saved[t]; }

void main() {
  uint i = gl_GlobalInvocationID.x;
  float acc[T], saved[T];
  zero(acc), zero(saved);
  for (uint k = 0u; k < n; k++) {
    if (k == 1u && i % 3u == 0u) continue;
    add(acc, k);
    if (i % 2u == 0u) turn(acc); else keep(acc, saved);
    for (uint j = 0u; j < i % 3u; j++) turn(acc);
    if (k == most && i % 4u == 1u) break;
  }
  if (i > 20u) add(acc, 0u);
  put(acc, saved);
}
