// HLSL: structured buffers, a constant buffer, group memory, matrices, early return.
//! grid 2
//! buffer 0.0 = 64 * (f32[3] -1..1, f32 0.5..1)
//! buffer 0.1 = f32[64] 0
//! uniform 0.2 = n: u32 60, gain: f32 0.5, pad 8, turn_0_0: f32 0.3, turn_1_0: f32 -0.5,
//!   turn_2_0: f32 0.75, pad 4, turn_0_1: f32 0.6, turn_1_1: f32 0.2, turn_2_1: f32 -0.9, pad 4, turn_0_2: f32 -0.1,
//!   turn_1_2: f32 0.8, turn_2_2: f32 0.4, pad 4
//! grad 0.1 by 0.0
struct Body { float3 at; float mass; };
[[vk::binding(0, 0)]] StructuredBuffer<Body> bodies;
[[vk::binding(1, 0)]] RWStructuredBuffer<float> energy;
[[vk::binding(2, 0)]] cbuffer Params { uint n; float gain; float3x3 turn; };
groupshared float masses[32];

float weighted(float3 v, float m) {
  if (m < 0.6) return dot(v, v);
  return m * dot(v, v);
}

[numthreads(32, 1, 1)] void main(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex) {
  masses[lane] = bodies[id.x].mass;
  GroupMemoryBarrierWithGroupSync();
  if (id.x >= n) return;
  energy[id.x] = weighted(mul(turn, bodies[id.x].at), gain) * masses[31 - lane];
}
