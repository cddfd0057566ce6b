#version 450
// Loops as Naga writes them: each counts its trips to 2^64 in two words, down or up, beside what it counts itself. One of 300 trips has a
// gradient, which a `while` of unknown length would not have. Two do end by such a count, and the last one is counted by it alone.
//! grid 1
//! buffer 0.0 = f32[300] -1..1
//! buffer 0.1 = f32[128] 0
//! push = n: u32 300, m: i32 9
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; int m; } p;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  float sum = 0.0, way = x[i], last = x[i];
  uint k = 0u;
  uvec2 loop_bound = uvec2(4294967295u);
  while (true) {
    if (all(equal(uvec2(0u), loop_bound))) break;
    loop_bound -= uvec2(loop_bound.y == 0u ? 1u : 0u, 1u);
    if (!(k < p.n)) break;
    sum += sin(x[k] * float(i % 3u + 1u)) * x[k];
    k++;
  }
  int j = 0;
  uvec2 inner_bound = uvec2(0u);
  while (true) {
    if (all(equal(inner_bound, uvec2(4294967295u)))) break;
    inner_bound += uvec2(inner_bound.y == 4294967295u ? 1u : 0u, 1u);
    way = sin(way) + x[i + uint(j)];
    if (++j >= p.m) break;
  }
  uvec2 short_bound = uvec2(0u, 5u);
  while (true) {
    if (all(equal(uvec2(0u), short_bound))) break;
    short_bound -= uvec2(short_bound.y == 0u ? 1u : 0u, 1u);
    last = last * way + 0.5;
  }
  uvec2 fast_bound = uvec2(4294967295u);
  while (true) {
    if (all(equal(uvec2(0u), fast_bound))) break;
    fast_bound -= uvec2(1431655765u);
    last *= 1.5;
  }
  float seen = 0.0;
  uvec2 seen_bound = uvec2(4294967295u);
  while (true) {
    if (all(equal(uvec2(0u), seen_bound))) break;
    const uint at = 4294967295u - seen_bound.y;
    seen_bound -= uvec2(seen_bound.y == 0u ? 1u : 0u, 1u);
    if (at >= i + 2u) break;
    seen += x[at] * x[at + 1u];
  }
  y[4u * i] = sum;
  y[4u * i + 1u] = way;
  y[4u * i + 2u] = last;
  y[4u * i + 3u] = seen * float(4294967295u - seen_bound.y);
}
