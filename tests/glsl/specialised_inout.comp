#version 450
// An array whose length a constant says is handed to a function that writes it, as `inout`: it is copied before it is written.
//! grid 2
//! const 0 = u32 3
//! buffer 0.0 = f32[48] -1..1
//! buffer 0.1 = f32[16] 0
//! grad 0.1 by 0.0
layout(local_size_x = 8) in;
layout(constant_id = 0) const uint PARTS = 2;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

void gather(inout float sums[PARTS][2], uint at) {
  for (uint k = 0u; k < PARTS; k++)
    for (uint s = 0u; s < 2u; s++) sums[k][s] = x[at + s * 24u] * float(k + 1u);
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  float sums[PARTS][2];
  gather(sums, i);
  float all = 1.0;
  for (uint k = 0u; k < PARTS; k++) all += sums[k][0] * sums[k][1];
  y[i] = all;
}
