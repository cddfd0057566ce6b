#version 450
// Comparisons of what is no number, in branches, loops and choices.
//! grid 1
//! buffer 0.0 = f32[32] {1 2 -1 0.5}
//! buffer 0.1 = i32[256] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { int y[]; };
void main() {
  int g = int(gl_GlobalInvocationID.x), at = 8 * g;
  float v = x[g], w = (g & 1) == 0 ? uintBitsToFloat(0x7FC00000u) : v * 0.5;
  y[at] = (v < w ? 1 : 0) + (v >= w ? 2 : 0) + (v > w ? 4 : 0) + (v <= w ? 8 : 0) + (v == w ? 16 : 0) + (v != w ? 32 : 0);
  y[at + 1] = (!(v < w) ? 1 : 0) + (!(v >= w) ? 2 : 0) + (!(v > w) ? 4 : 0) + (!(v <= w) ? 8 : 0) + (!(v == w) ? 16 : 0) + (!(v != w) ? 32 : 0);
  int k = 0;
  if (!(v < w)) k += 1; else k += 2;
  if (w > v) k += 4; else k += 8;
  y[at + 2] = k, k = 0;
  while (!(w < float(k))) { if (++k > 10) break; }
  y[at + 3] = k, k = 0;
  for (float f = 0.0; f < w; f += 0.25) if (++k > 10) break;
  y[at + 4] = k;
  y[at + 5] = isnan(w) ? 1 : isinf(w) ? 2 : 3;
  bvec2 e = equal(vec2(v, w), vec2(w, w)), ne = notEqual(vec2(v, w), vec2(w, w));
  y[at + 6] = int(e.x) + 2 * int(e.y) + 4 * int(ne.x) + 8 * int(ne.y);
  y[at + 7] = vec2(v, w) == vec2(v, w) ? 1 : vec2(v, w) != vec2(v, w) ? 2 : 3;
}
