#version 450
// Workgroup memory that begins as zero: an array with more elements than there are lanes, a matrix of rows, a struct, and a number.
#extension GL_EXT_null_initializer : require
//! target vulkan1.3
//! grid 3
//! buffer 0.0 = f32[24] -1..1
//! buffer 0.1 = f32[24] 0
//! buffer 0.2 = u32[3] 0
//! grad 0.1 by 0.0
layout(local_size_x = 4, local_size_y = 2) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer U { uint u[]; };
struct Both { uint count; vec2 pair[3]; };
shared float sums[21] = {};
shared float rows[3][8] = {};
shared Both both = {};
shared uint total = {};

void main() {
  uint lane = gl_LocalInvocationIndex, i = gl_WorkGroupID.x * 8u + lane;
  sums[2u * lane] = x[i];
  rows[lane % 3u][lane] = x[i] * x[i];
  if (lane == 5u) both.pair[1].y = x[i];
  atomicAdd(both.count, lane);
  atomicAdd(total, 1u);
  barrier();
  float all = sums[20u - lane] + sums[lane] + rows[0][lane] + rows[1][7u - lane] + both.pair[lane % 3u].y + both.pair[1].x;
  y[i] = all;
  if (lane == 0u) u[gl_WorkGroupID.x] = both.count + 100u * total;
}
