#version 450
// A tree over shared memory: a loop that halves, with barriers inside.
//! grid 4
//! buffer 0.0 = f32[512] -1..1
//! buffer 0.1 = f32[4] 0
//! grad 0.1 by 0.0
//! no_tape 0.1 by 0.0
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer S { float sums[]; };
shared float part[128];

void main() {
  uint lane = gl_LocalInvocationID.x;
  part[lane] = x[gl_GlobalInvocationID.x];
  barrier();
  for (uint s = gl_WorkGroupSize.x / 2u; s > 0u; s >>= 1) {
    if (lane < s) part[lane] += part[lane + s];
    barrier();
  }
  if (lane == 0u) sums[gl_WorkGroupID.x] = part[0];
}
