#version 450
// The size of a workgroup by specialization constants, which its code reads.
//! grid 3
//! const 0 = u32 16
//! const 1 = u32 2
//! buffer 0.0 = f32[96] -1..1
//! buffer 0.1 = f32[96] 0
//! grad 0.1 by 0.0
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
shared float row[64];

void main() {
  uint lane = gl_LocalInvocationIndex, size = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
  uint i = gl_WorkGroupID.x * size + lane;
  row[lane] = x[i];
  barrier();
  y[i] = row[size - 1u - lane] + float(gl_NumWorkGroups.x) * row[gl_LocalInvocationID.y * gl_WorkGroupSize.x];
}
