// cbuffer with row_major, groupshared arrays, RWStructuredBuffer with structs, templates' loads.
//! grid 2
//! uniform 0.0 = view: f32[4][4] -1..1, eye: f32[3] -1..1, gain: f32 0.7, count: u32 32, pad: f32[3] 0
//! buffer 0.1 = 64 * (f32[3] -1..1, f32 0.5..1)
//! buffer 0.2 = 64 * (f32[4] 0)
//! buffer 0.3 = f32[64] -1..1
//! buffer 0.4 = f32[64] 0
//! grad 0.2 by 0.1
//! grad 0.4 by 0.3 0.1
cbuffer Scene : register(b0) {
  row_major float4x4 view;
  float3 eye;
  float gain;
  uint count;
  float3 pad;
};
struct Item { float3 p; float m; };
[[vk::binding(1, 0)]] StructuredBuffer<Item> items;
[[vk::binding(2, 0)]] RWStructuredBuffer<float4> result;
[[vk::binding(3, 0)]] ByteAddressBuffer raw;
[[vk::binding(4, 0)]] RWByteAddressBuffer rawout;
groupshared float4 cache[32];
groupshared float sums[2][16];
void split(float v, out float a, inout float b) { a = v * v; b += a; }
[numthreads(32, 1, 1)] void main(uint3 id : SV_DispatchThreadID, uint3 gid : SV_GroupID, uint lane : SV_GroupIndex) {
  Item it = items[id.x];
  float4 v = mul(view, float4(it.p, 1)) + mul(float4(it.p - eye, it.m), view) * gain;
  cache[lane] = v;
  GroupMemoryBarrierWithGroupSync();
  float4 o = cache[(lane + 7) % 32] * 0.5 + v.wzyx;
  if (id.x < count * 2) result[id.x] = lerp(o, saturate(o), 0.25);
  float a, b = it.m;
  split(asfloat(raw.Load(4 * id.x)), a, b);
  sums[lane / 16][lane % 16] = a + b;
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (uint k = 8; k > 0; k >>= 1) {
    if (lane % 16 < k) sums[lane / 16][lane % 16] += sums[lane / 16][lane % 16 + k];
    GroupMemoryBarrierWithGroupSync();
  }
  rawout.Store(4 * id.x, asuint(sums[lane / 16][0] * rcp(2.0 + a)));
}
