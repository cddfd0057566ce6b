#version 450
// Indices taken apart by division and remainder of constants and params, as in tensors of four dimensions.
//! grid 3
//! buffer 0.0 = f32[96] -1..1
//! buffer 0.1 = f32[96] 0
//! push = n: u32 96, d0: u32 4, d1: u32 3, d2: u32 2, d3: u32 4
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n, d0, d1, d2, d3; } p;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= p.n) return;
  uint a = i / (p.d1 * p.d2 * p.d3), r = i - a * (p.d1 * p.d2 * p.d3);
  uint b = r / (p.d2 * p.d3);
  r -= b * (p.d2 * p.d3);
  uint c = r / p.d3, d = r % p.d3;
  uint to = ((d * p.d2 + c) * p.d1 + b) * p.d0 + a;
  y[to] = x[i] * (1.0 + float(i % 7u));
}
