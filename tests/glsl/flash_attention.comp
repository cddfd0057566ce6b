#version 450
// Inference: attention of one head with running maximum and sum, keys and values in tiles of shared memory, causal.
//! grid 2
//! buffer 0.0 = f32[128] -1..1
//! buffer 0.1 = f32[128] -1..1
//! buffer 0.2 = f32[128] -1..1
//! buffer 0.3 = f32[128] 0
//! push = tokens: u32 16, scale: f32 0.353553
//! grad 0.3 by 0.0 0.1 0.2
layout(local_size_x = 8) in;
const uint D = 8u, T = 8u;
layout(binding = 0) readonly buffer Q { float q[]; };
layout(binding = 1) readonly buffer K { float k[]; };
layout(binding = 2) readonly buffer V { float v[]; };
layout(binding = 3) writeonly buffer O { float o[]; };
layout(push_constant) uniform P { uint tokens; float scale; } p;
shared float tile_k[T][D], tile_v[T][D];

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_GlobalInvocationID.x;
  float own[D], sum[D];
  for (uint d = 0u; d < D; d++) {
    own[d] = q[row * D + d] * p.scale;
    sum[d] = 0.0;
  }
  float most = -3.0e38, total = 0.0;
  for (uint start = 0u; start < p.tokens; start += T) {
    for (uint d = 0u; d < D; d++) {
      tile_k[lane][d] = k[(start + lane) * D + d];
      tile_v[lane][d] = v[(start + lane) * D + d];
    }
    barrier();
    for (uint j = 0u; j < T; j++) {
      if (start + j > row) continue;
      float s = 0.0;
      for (uint d = 0u; d < D; d++) s += own[d] * tile_k[j][d];
      const float higher = max(most, s), old = exp(most - higher), now = exp(s - higher);
      for (uint d = 0u; d < D; d++) sum[d] = sum[d] * old + now * tile_v[j][d];
      total = total * old + now;
      most = higher;
    }
    barrier();
  }
  for (uint d = 0u; d < D; d++) o[row * D + d] = sum[d] / total;
}
