#version 450
// Quads of lanes, and a barrier of the subgroup between them.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
//! target vulkan1.1
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[384] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
shared float row[32];

void main() {
  uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex, at = 6u * i;
  vec2 v = vec2(x[i], x[i] * x[i]);
  y[at] = subgroupQuadSwapHorizontal(v.x);
  y[at + 1u] = subgroupQuadSwapVertical(v).y;
  y[at + 2u] = subgroupQuadSwapDiagonal(v.x) * v.y;
  y[at + 3u] = subgroupQuadBroadcast(v.y, 2u) - subgroupQuadBroadcast(v.x, 0u);
  row[l] = sin(v.x);
  subgroupBarrier();
  y[at + 4u] = row[l ^ 1u] * v.x;
  y[at + 5u] = row[l ^ 2u];
}
