#version 450
// A scan of a workgroup: a loop with two barriers, memory barriers of other kinds, a uniform branch around a barrier.
//! grid 2
//! buffer 0.0 = f32[128] -1..1
//! buffer 0.1 = f32[128] 0
//! push = exclusive: u32 1
//! grad 0.1 by 0.0
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint exclusive; };
shared float s[64];

void main() {
  uint lane = gl_LocalInvocationID.x, i = gl_GlobalInvocationID.x;
  s[lane] = x[i];
  groupMemoryBarrier();
  barrier();
  for (uint d = 1u; d < 64u; d <<= 1) {
    float v = lane >= d ? s[lane - d] : 0.0;
    barrier();
    s[lane] += v;
    memoryBarrierShared();
    barrier();
  }
  if (exclusive != 0u) {
    float v = lane > 0u ? s[lane - 1u] : 0.0;
    barrier();
    s[lane] = v;
  }
  y[i] = s[lane];
}
