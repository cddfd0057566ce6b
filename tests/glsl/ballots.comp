#version 450
// What is asked of ballots: bits of lanes, counts and scans, the first and the last, and whether all lanes agree.
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
//! target vulkan1.1
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = u32[512] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer U { uint u[]; };

void main() {
  uint i = gl_GlobalInvocationID.x, at = 8u * i, lane = gl_SubgroupInvocationID;
  uvec4 above = subgroupBallot(x[i] > 0.25 || lane == 1u);
  u[at] = subgroupBallotBitCount(above);
  u[at + 1u] = subgroupBallotInclusiveBitCount(above);
  u[at + 2u] = subgroupBallotExclusiveBitCount(above);
  u[at + 3u] = subgroupBallotFindLSB(above);
  u[at + 4u] = subgroupBallotFindMSB(above);
  u[at + 5u] = uint(subgroupBallotBitExtract(above, (lane + 1u) % gl_SubgroupSize)) + 2u * uint(subgroupInverseBallot(above));
  u[at + 6u] = uint(subgroupAllEqual(x[i])) + 2u * uint(subgroupAllEqual(above));
  u[at + 7u] = subgroupBallotBitCount(uvec4(0xFFFFFFFFu));
}
