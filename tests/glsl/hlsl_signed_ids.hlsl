// Ids that are declared signed, as Direct3D allows: a vector, single ones, and a component that an index chooses.
//! grid 2
//! buffer 0.0 = f32[32] -1..1
//! buffer 0.1 = f32[32] 0
//! buffer 0.2 = i32[32] 0
//! grad 0.1 by 0.0
[[vk::binding(0, 0)]] StructuredBuffer<float> x;
[[vk::binding(1, 0)]] RWStructuredBuffer<float> y;
[[vk::binding(2, 0)]] RWStructuredBuffer<int> where;
[numthreads(16, 1, 1)] void main(int id : SV_DispatchThreadID, int3 group : SV_GroupID, int lane : SV_GroupIndex, int3 local : SV_GroupThreadID) {
  int before = max(id - 1, 0), mirrored = 31 - id;
  y[id] = x[id] * x[before] + (group.x - 1) * x[mirrored];
  int sum = 0;
  for (int k = 0; k < 3; k++) sum += local[k] - 8;
  where[id] = (lane - 20) / 3 + sum * 100;
}
