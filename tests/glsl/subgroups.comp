#version 450
// Subgroup operations: sums, scans, votes, ballots, shuffles, broadcasts, and the ids of subgroups.
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
//! target vulkan1.1
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[512] 0
//! buffer 0.2 = u32[256] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer U { uint u[]; };

void main() {
  uint i = gl_GlobalInvocationID.x, at = 8u * i;
  float v = x[i];
  y[at] = subgroupAdd(v);
  y[at + 1u] = subgroupInclusiveAdd(v) - subgroupExclusiveAdd(2.0 * v);
  y[at + 2u] = subgroupMax(v) * subgroupMin(v);
  y[at + 3u] = subgroupShuffleXor(v, 1u);
  y[at + 4u] = subgroupShuffle(v, (gl_SubgroupInvocationID + 3u) % gl_SubgroupSize);
  y[at + 5u] = subgroupBroadcastFirst(v) + subgroupBroadcast(v, 2u);
  float up = subgroupShuffleUp(v, 1u);
  y[at + 6u] = gl_SubgroupInvocationID > 0u ? up : v;
  y[at + 7u] = subgroupElect() ? 1.0 : 0.0;
  u[4u * i] = subgroupBallot(v > 0.0).x;
  u[4u * i + 1u] = uint(subgroupAll(v > -2.0)) + 2u * uint(subgroupAny(v > 0.9));
  u[4u * i + 2u] = gl_SubgroupInvocationID + 256u * gl_SubgroupSize;
  u[4u * i + 3u] = subgroupBallotBitCount(subgroupBallot(v > 0.0));
}
