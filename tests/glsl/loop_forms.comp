#version 450
// Loops that halve, double, count down, count to `!=`, or end with their test: none, one and many trips, bounds at the ends of types.
//! grid 2
//! buffer 0.0 = u32[64] 0..70
//! buffer 0.1 = u32[2048] 0
//! push = most: u32 4294967295, big: i32 2147483647, low: i32 -2147483648, three: u32 3
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform P { uint most; int big; int low; uint three; };

void main() {
  uint g = gl_GlobalInvocationID.x, n = x[g], at = 32u * g, s = 0u, i;
  int m = int(n) - 9, r;
  for (i = n; i > 0u; i >>= 1) s = 3u * s + i;
  y[at] = s + i, s = 0u;
  for (i = most - n; i != 0u; i /= 4u) s = 5u * s + i;
  y[at + 1u] = s + 7u * i, s = 0u;
  for (i = n; i >= 3u; i >>= 2) { s = 3u * s + i; if (s > 90u) break; }
  y[at + 2u] = s + 1000u * i, s = 0u;
  for (r = m; r > 0; r /= 2) s = 3u * s + uint(r);
  y[at + 3u] = s + uint(r), s = 0u;
  for (i = 1u; i < n; i *= 2u) s = 3u * s + i;
  y[at + 4u] = s + 1000u * i, s = 0u;
  for (i = three; i <= n; i <<= 1) s = 3u * s + i;
  y[at + 5u] = s + 1000u * i, s = 0u;
  for (r = 1; r <= m; r <<= 2) s = 3u * s + uint(r);
  y[at + 6u] = s + 1000u * uint(r), s = 0u;
  for (i = 1u; i < most; i <<= 1) { if (i > n) break; s += i; }
  y[at + 7u] = s + 1000u * i, s = 0u;
  for (i = n; i-- > 0u;) s = 3u * s + i;
  y[at + 8u] = s + i, s = 0u;
  for (i = n; i != 0u; i--) { s = 3u * s + i; if (s % 7u == 3u) break; }
  y[at + 9u] = s + 1000u * i, s = 0u;
  for (r = m; r >= 0; r -= 3) s = 3u * s + uint(r);
  y[at + 10u] = s + uint(r), s = 0u;
  for (i = n; i >= 4u; i -= 4u) s = 3u * s + i;
  y[at + 11u] = s + 1000u * i, s = 0u;
  for (i = most - n; i != 3u; i++) s = 3u * s + i;
  y[at + 12u] = s + i, s = 0u, i = n;
  for (; i > 5u && s < 100000u; i--) s = 3u * s + i;
  y[at + 13u] = s + i, s = 0u, i = 96u;
  do { s = 3u * s + i + n; i >>= 1; } while (i > 0u);
  y[at + 14u] = s + i, s = 0u, r = 4;
  do { s = 3u * s + uint(r); } while (--r > m);
  y[at + 15u] = s + uint(r), s = 0u, i = 0u;
  do { s += i * n; } while (i++ < 6u);
  y[at + 16u] = s + i, s = 0u, i = g;
  do { s += i * i; } while (++i < n);
  y[at + 17u] = s + 1000u * i, s = 0u;
  uint p = n, q = 7u;
  for (i = 2u; i < n; i += 3u, p += three, q -= 5u) { if (i % 4u == 1u) continue; s = 3u * s + p + q; }
  y[at + 18u] = s + p + 100u * q, s = 0u, p = n;
  for (r = 9; r >= m; r--, p += 4u) { s = 3u * s + p; if (s % 5u == 4u) break; }
  y[at + 19u] = s + 100u * p, s = 0u, p = 0u;
  for (i = 0u; i < n; i++) { if (x[i & 63u] < 30u) continue; s = 3u * s + p; p += 2u; }
  y[at + 20u] = s + 100u * p, s = 0u, p = 0u;
  for (i = 0u; i < n; i++) { p += 2u; s = 3u * s + p; if (s % 11u == 8u) break; }
  y[at + 21u] = s + 100u * p, s = 0u, p = 5u;
  for (i = 0u; i < 4u; i++) for (uint j = 0u; j < 3u; j++) s = 3u * s + x[(p++ + n) & 63u];
  y[at + 22u] = s + 100u * p, s = 0u, y[at + 23u] = n;
  for (i = 0u; i != y[at + 23u] && i < 40u; i++) { s += i; if (i == 4u) y[at + 23u] = 9u; }
  y[at + 24u] = s + 100u * i, s = 0u;
  for (r = big - int(n); r < big; r++) s = 3u * s + 1u;
  y[at + 25u] = s + uint(r), s = 0u;
  for (r = low + int(n); r > low; r--) s = 3u * s + uint(r);
  y[at + 26u] = s + uint(r), s = 0u;
  bool found = false;
  for (i = 0u; i < 64u; i++) if (x[i] == n + 1u) { found = true; break; }
  if (!found) return;
  y[at + 27u] = i;
  for (i = 1u; i < 40u; i++) { for (uint j = i; j < 40u; j += i) if (x[j] == 3u * n) return; }
  y[at + 28u] = 1u;
}
