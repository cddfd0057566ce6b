#version 450
// Lengths that are rounded up to a multiple, or kept below a power of two, of constants that the host says.
//! grid 2
//! const 1 = u32 21
//! const 2 = i32 -3
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(constant_id = 1) const uint N = 40;
layout(constant_id = 2) const int LESS = -1;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
shared float whole[(N + 31u) & ~31u];   // 32
shared float part[N & 15u];             // 5
shared float floored[LESS & 31];        // 29
shared float down[40 + (~7 & LESS)];    // 32

void main() {
  uint lane = gl_LocalInvocationID.x;
  float v = x[gl_GlobalInvocationID.x];
  whole[lane] = v;
  down[lane] = 2.0 * v;
  if (lane < 5u) part[lane] = v * v;
  if (lane < 29u) floored[lane] = 3.0 * v;
  barrier();
  y[gl_GlobalInvocationID.x] = whole[31u - lane] * down[lane ^ 1u] + part[lane % (N & 15u)] * floored[lane % 29u];
}
