#version 450
// Reductions in clusters of a subgroup's lanes: sums, products, larger and smaller ones, bits.
#extension GL_KHR_shader_subgroup_clustered : require
//! target vulkan1.1
//! unrunnable
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! buffer 0.2 = u32[64] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer Z { uint z[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const float v = x[i];
  const float squares = subgroupClusteredAdd(v * v, 4u);
  const vec2 ends = subgroupClusteredMax(vec2(v, -v), 2u);
  y[i] = squares * v + ends.x * ends.y + subgroupClusteredMul(v + 2.0, 8u) * 0.01 + subgroupClusteredAdd(v, 1u);
  z[i] = subgroupClusteredOr(1u << i % 16u, 8u) + subgroupClusteredMin(i * 7u % 13u, 4u);
}
