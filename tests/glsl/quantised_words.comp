#version 450
// Packed words alone: each block of 36 bytes is nine words; the scale is a half in the first.
//! grid 1
//! buffer 0.0 = 64 * (f16[2] 0.01..0.1, u8[32] 0..255)
//! buffer 0.1 = f32[64] -1..1
//! buffer 0.2 = f32[32] 0
//! push = blocks: u32 2
//! grad 0.2 by 0.1
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer D { float d[]; };
layout(push_constant) uniform P { uint blocks; } p;
void main() {
  const uint row = gl_GlobalInvocationID.x;
  float sum = 0.0;
  for (uint i = 0u; i < p.blocks; i++) {
    const uint at = (row * p.blocks + i) * 9u;
    const vec2 s = unpackHalf2x16(a[at]);
    for (uint k = 0u; k < 8u; k++) {
      const uint w = a[at + 1u + k];
      for (uint l = 0u; l < 4u; l++) {
        const int q = int(w << (24u - 8u * l)) >> 24;
        sum += (s.x * float(q) + s.y) * b[i * 32u + 4u * k + l];
      }
    }
  }
  d[row] = sum;
}
