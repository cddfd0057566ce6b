#version 450
// A sum over a workgroup by subgroups and shared memory, with the ids and the number of subgroups.
#extension GL_KHR_shader_subgroup_arithmetic : require
//! target vulkan1.1
//! grid 2
//! buffer 0.0 = f32[128] -1..1
//! buffer 0.1 = f32[2] 0
//! grad 0.1 by 0.0
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
shared float part[64];

void main() {
  float sum = subgroupAdd(x[gl_GlobalInvocationID.x]);
  if (gl_SubgroupInvocationID == 0u) part[gl_SubgroupID] = sum;
  barrier();
  if (gl_LocalInvocationIndex == 0u) {
    float all = 0.0;
    for (uint k = 0u; k < gl_NumSubgroups; k++) all += part[k];
    y[gl_WorkGroupID.x] = all;
  }
}
