// HLSL: raw bytes, bit casts, atomics of HLSL, saturate and lerp, unrolled loops.
//! grid 1
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = u32[65] 0
[[vk::binding(0, 0)]] ByteAddressBuffer source;
[[vk::binding(1, 0)]] RWByteAddressBuffer target;

[numthreads(32, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  float sum = 0;
  [unroll] for (uint k = 0; k < 2; k++) sum += asfloat(source.Load(8 * id.x + 4 * k));
  float2 pair = asfloat(source.Load2(8 * id.x));
  target.Store2(8 * id.x, asuint(float2(saturate(sum), lerp(pair.x, pair.y, 0.25))));
  uint before;
  target.InterlockedAdd(256, id.x, before);
}
