#version 450
// Integer atomics on memory and shared memory: what is counted does not depend on the order.
//! grid 4
//! buffer 0.0 = u32[256] 0..1000
//! buffer 0.1 = u32[8] 0
//! buffer 0.2 = i32[4] {1000 -1000 0 -1}
//! buffer 0.3 = u32[64] 0
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) buffer H { uint histogram[]; };
layout(binding = 2) buffer R { int least; int most; int either; int both; } r;
layout(binding = 3) buffer S { uint sums[]; };
shared uint local[16];

void main() {
  uint i = gl_GlobalInvocationID.x, lane = gl_LocalInvocationIndex;
  if (lane < 16u) local[lane] = 0u;
  barrier();
  atomicAdd(histogram[x[i] / 125u % 8u], 1u);
  atomicMin(r.least, int(x[i]));
  atomicMax(r.most, int(x[i]));
  atomicOr(r.either, int(x[i]));
  atomicAnd(r.both, int(x[i]) | 1);
  atomicAdd(local[x[i] & 15u], x[i]);
  barrier();
  if (lane < 16u) sums[16u * gl_WorkGroupID.x + lane] = local[lane];
}
