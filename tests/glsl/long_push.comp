#version 450
// Push constants of 128 bytes, so that what a gradient adds does not fit beside them: vectors, an array, a matrix, a struct.
//! grid 1
//! push = first: f32[4] -1..1, table: f32[16] -1..1, m: f32[2][2] -1..1, scale: f32[2] 0.5..1,
//!   n: u32 12, k: i32 -3, tail: f32[1][4] -1..1
//! buffer 0.0 = f32[32] -1..1
//! buffer 0.1 = f32[32] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
struct Pair { vec2 scale; uint n; int k; };
layout(push_constant) uniform P { vec4 first; float table[16]; mat2 m; Pair pair; vec4 tail[1]; } p;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  float r = p.first.y;
  for (uint j = 0u; j < p.pair.n; j++) r += p.table[j] * x[(i + j) % 32u];
  vec2 v = p.m * vec2(r, x[i]) * p.pair.scale;
  y[i] = v.x + v.y * float(p.pair.k) + dot(p.tail[0], p.first);
}
