#version 450
// Inference: a matrix product with tiles of shared memory and two by two results in each invocation; sizes by constants.
//! grid 2,2
//! const 1 = u32 8
//! buffer 0.0 = f32[240] -1..1
//! buffer 0.1 = f32[240] -1..1
//! buffer 0.2 = f32[144] 0
//! push = M: u32 12, N: u32 12, K: u32 20
//! grad 0.2 by 0.0 0.1
layout(local_size_x = 16) in;
layout(constant_id = 0) const uint BM = 8u;
layout(constant_id = 1) const uint BK = 4u;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer D { float d[]; };
layout(push_constant) uniform P { uint M, N, K; } p;
shared float tile_a[BM * (BK + 1u)], tile_b[BM * (BK + 1u)];

void main() {
  const uint lane = gl_LocalInvocationID.x, tx = lane % 4u, ty = lane / 4u;
  const uint row = gl_WorkGroupID.y * BM, column = gl_WorkGroupID.x * BM;
  float sums[4];
  for (uint j = 0u; j < 4u; j++) sums[j] = 0.0;
  for (uint block = 0u; block < p.K; block += BK) {
    for (uint l = lane; l < BM * BK; l += 16u) {
      const uint r = l / BK, k = l % BK;
      const bool inside = block + k < p.K;
      tile_a[r * (BK + 1u) + k] = inside && row + r < p.M ? a[(row + r) * p.K + block + k] : 0.0;
      tile_b[r * (BK + 1u) + k] = inside && column + r < p.N ? b[(column + r) * p.K + block + k] : 0.0;
    }
    barrier();
    for (uint k = 0u; k < BK; k++) {
      float va[2], vb[2];
      for (uint j = 0u; j < 2u; j++) {
        va[j] = tile_a[(ty * 2u + j) * (BK + 1u) + k];
        vb[j] = tile_b[(tx * 2u + j) * (BK + 1u) + k];
      }
      for (uint j = 0u; j < 4u; j++) sums[j] = fma(va[j / 2u], vb[j % 2u], sums[j]);
    }
    barrier();
  }
  for (uint j = 0u; j < 4u; j++) {
    const uint r = row + ty * 2u + j / 2u, c = column + tx * 2u + j % 2u;
    if (r < p.M && c < p.N) d[r * p.N + c] = sums[j];
  }
}
