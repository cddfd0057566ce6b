#version 450
// Counters that wrap around, or whose bound is the end of their type, in loops that are left all the same.
//! grid 2
//! buffer 0.0 = u32[64] 0..12
//! buffer 0.1 = u32[768] 0
//! push = most: u32 4294967295, big: i32 2147483647, low: i32 -2147483648, back: u32 4294967294
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform P { uint most; int big; int low; uint back; };

void main() {
  uint g = gl_GlobalInvocationID.x, n = x[g], at = 12u * g, s = 0u;
  for (uint i = 0u; i <= most; i++) { if (i > n) break; s += i; }
  y[at] = s, s = 0u;
  for (int i = 0; i <= big; i++) { if (i > int(n)) break; s += 2u; }
  y[at + 1u] = s, s = 0u;
  for (uint i = n; i >= 0u; i--) { if (i > 100u) break; s += i; }
  y[at + 2u] = s, s = 0u;
  for (uint i = n + 10u; i < 100u; i += 0xFFFFFFFEu) s += i;
  y[at + 3u] = s, s = 0u;
  for (uint i = n - 1u; i < n; i--) s += i * 3u;
  y[at + 4u] = s, s = 0u;
  for (uint i = n + 4u; i < 50u; i -= 2u) s += i;
  y[at + 5u] = s, s = 0u;
  for (int i = 3; i >= low; i--) { if (i < -int(n)) break; s += 5u; }
  y[at + 6u] = s, s = 0u;
  for (int i = big; i > 0; i--) { if (i < big - int(n)) break; s += 7u; }
  y[at + 7u] = s, s = 0u;
  for (uint i = 0xFFFFFFF0u + n; i > 5u; i++) s += 1u;
  y[at + 8u] = s, s = 0u;
  for (uint i = most - 3u; i <= most; i++) { if (i < 50u) break; s += 13u; }
  y[at + 9u] = s, s = 0u;
  for (uint i = most; i > n; i--) { if (i < most - 9u) break; s += 11u; }
  y[at + 10u] = s, s = 0u;
  for (uint i = 0u; i < 10u; i += x[(g + i) & 63u] & 0u) { if (s > 3u) break; s += 1u; }
  y[at + 11u] = s;
}
