#version 450
// Float atomics: a scatter, and sums in shared memory.
#extension GL_EXT_shader_atomic_float : require
//! target vulkan1.1
//! grid 2
//! buffer 0.0 = f32[64] 0.5..1
//! buffer 0.1 = u32[64] 0..7
//! buffer 0.2 = f32[8] 0
//! buffer 0.3 = f32[2] 0
//! grad 0.2 by 0.0
//! grad 0.3 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer I { uint index[]; };
layout(binding = 2) buffer Y { float y[]; };
layout(binding = 3) buffer S { float sums[]; };
shared float total;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (gl_LocalInvocationIndex == 0u) total = 0.0;
  barrier();
  atomicAdd(y[index[i]], x[i] * x[i]);
  atomicAdd(total, x[i]);
  barrier();
  if (gl_LocalInvocationIndex == 0u) sums[gl_WorkGroupID.x] = total;
}
