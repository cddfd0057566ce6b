#version 450
// Sizes whose sign a compiler or a person cuts off before they bound a loop: the tape is as long as the size, not as all numbers.
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! buffer 0.2 = i32[1] 19
//! push = n: i32 300, m: u32 40
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) readonly buffer C { int count; };
layout(push_constant) uniform P { int n; uint m; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  float r = 0.5;
  for (int k = 0; k < (n & 0x7fffffff); k++) r = 0.9 * sin(r + x[(i + uint(k)) & 63u]);
  for (uint k = 0u; k < (m & 0x7fffffffu); k++) r = 0.9 * sin(r - x[(i + k) & 63u]);
  for (int k = 0; k < (count & 0x7fffffff); k++) r = 0.9 * cos(r * x[(i ^ uint(k)) & 63u]);
  y[i] = r;
}
