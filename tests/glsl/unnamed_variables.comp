#version 450
// A row by its length, in either of two orders. Choices become variables without a name where nothing is optimised; the gradient
// needs those that choose an index again, in front of its own loops.
//! grid 2
//! push = columns: u32 64, stride: u32 64, flip: u32 1
//! buffer 0.0 = f32[128] -1..1
//! buffer 0.1 = f32[128] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint columns, stride, flip; };
shared float part[32];

void main() {
  uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x;
  if (row * stride < 128u) {
    float sum = 0.0;
    for (uint k = lane; k < columns; k += 32u) {
      uint at = flip != 0u ? k * 2u + row : row * stride + k;
      sum += x[at] * x[at];
    }
    part[lane] = sum;
    barrier();
    float all = flip != 2u ? part[0] : 0.0;
    for (uint k = 1u; k < 32u; k++) all += part[k];
    float scale = flip != 0u ? inversesqrt(all + 1.0) : all;
    for (uint k = lane; k < columns; k += 32u) {
      uint at = flip != 0u ? k * 2u + row : row * stride + k;
      y[at] = x[at] * scale;
    }
  }
}
