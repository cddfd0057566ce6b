#version 450
// The masks of lanes: the own bit, those below, and those above, by words, by an index, and as what a ballot is cut to.
#extension GL_KHR_shader_subgroup_ballot : require
//! target vulkan1.1
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = u32[768] 0
//! buffer 0.2 = f32[64] 0
//! grad 0.2 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer U { uint u[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x, at = 12u * i, lane = gl_SubgroupInvocationID;
  uvec4 above = subgroupBallot(x[i] > 0.0);
  u[at] = gl_SubgroupEqMask.x;
  u[at + 1u] = gl_SubgroupLtMask.x;
  u[at + 2u] = gl_SubgroupLeMask.x;
  u[at + 3u] = gl_SubgroupGeMask.x;
  u[at + 4u] = gl_SubgroupGtMask.x;
  uvec4 others = gl_SubgroupLtMask | gl_SubgroupGtMask;
  u[at + 5u] = subgroupBallotBitCount(others);
  u[at + 6u] = uint(gl_SubgroupEqMask[lane / 32u] == 1u << (lane % 32u)) + 2u * gl_SubgroupGeMask[(lane & 1u) + 1u];
  u[at + 7u] = gl_SubgroupLeMask.y | gl_SubgroupGtMask.z | gl_SubgroupEqMask.w;
  u[at + 8u] = uint(subgroupInverseBallot(gl_SubgroupEqMask)) + 2u * uint(subgroupInverseBallot(gl_SubgroupGtMask));
  uint before = subgroupBallotBitCount(above & gl_SubgroupLtMask);
  u[at + 9u] = before;
  u[at + 10u] = uint(before == subgroupBallotExclusiveBitCount(above));
  u[at + 11u] = uint(bitCount(gl_SubgroupGeMask.x) == gl_SubgroupSize - lane);
  y[i] = x[i] > 0.0 ? x[i] * x[i] * float(before + 1u) : 0.0;
}
