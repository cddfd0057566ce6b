#version 450
// Votes and reads of other lanes, as extensions had them before subgroup operations were of Vulkan.
#extension GL_ARB_shader_group_vote : require
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_gpu_shader_int64 : require
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[128] 0
//! buffer 0.2 = u32[128] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer U { uint u[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  float v = x[i];
  y[2u * i] = readFirstInvocationARB(v) * v;
  y[2u * i + 1u] = readInvocationARB(v * v, 3u);
  u[2u * i] = uint(anyInvocationARB(v > 0.9)) + 2u * uint(allInvocationsARB(v > -0.9)) + 4u * uint(allInvocationsEqualARB(v > 2.0));
  u[2u * i + 1u] = unpackUint2x32(ballotARB(v > 0.0)).x;
}
