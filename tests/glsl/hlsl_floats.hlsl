// HLSL: raw bytes that are floats, by ones and in fours.
//! grid 1
//! buffer 0.0 = f32[128] -1..1
//! buffer 0.1 = f32[160] 0
//! grad 0.1 by 0.0
[[vk::binding(0, 0)]] ByteAddressBuffer source;
[[vk::binding(1, 0)]] RWByteAddressBuffer target;

[numthreads(32, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  float4 v = asfloat(source.Load4(16 * id.x));
  target.Store4(16 * id.x, asuint(v * v.wzyx));
  target.Store(512 + 4 * id.x, asuint(dot(v, float4(1, 2, 3, 4))));
}
