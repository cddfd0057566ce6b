#version 450
// Clamps of indices that go, and clamps that do something: past the end of the type, of the array, or of what a loop says.
//! grid 2
//! buffer 0.0 = f32[128] -1..1
//! buffer 0.1 = f32[128] 0
//! push = n: u32 37
//! grad 0.1 by 0.0
layout(local_size_x = 16, local_size_y = 4) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; };
shared float tile[64];
void main() {
  uint l = gl_LocalInvocationID.y * 16u + gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 64u;
  int column = int(gl_LocalInvocationID.x);
  tile[min(l, 63u)] = x[first + l];                                     // goes
  barrier();
  float s = tile[min(l - 1u, 63u)];                                     // below 0 is the largest
  s += 2.0 * tile[min(l + 1u, 63u)];                                    // one past the end
  s += 3.0 * tile[min(l * 0x10000001u, 63u)];                           // comes round
  s += 4.0 * tile[uint(max(column - 3, 0))] + 5.0 * tile[uint(min(max(column, 0), 15))];
  s += 6.0 * tile[min(uint(column - 20), 63u)];                         // a negative one is the largest
  s += 7.0 * tile[uint(min(column - 20, 10) + 20)];                     // goes
  for (uint k = n; k < n + 3u; k++) s += float(k) * tile[min(k, 38u)];  // a push constant says it
  for (uint k = 60u; k < 70u; k += 3u) s += 0.5 * tile[min(k, 63u)];
  for (uint k = 0u; k < min(n, 20u); k++) s += 0.25 * tile[min(k + l % 44u, 63u)] + tile[max(19u, k)] * 0.125;
  y[first + l] = s * s;
}
