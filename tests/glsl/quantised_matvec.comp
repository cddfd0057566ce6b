#version 450
// Inference: a matrix of 4-bit blocks times a vector; each block of 32 has a half as its scale.
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
//! target vulkan1.1
//! grid 5
//! buffer 0.0 = 15 * (f16 0.01..0.1, u8[16] 0..255)
//! buffer 0.1 = f32[96] -1..1
//! buffer 0.2 = f32[5] 0
//! push = columns: u32 96
//! grad 0.2 by 0.1
//! grad 0.2 by 0.0
layout(local_size_x = 16) in;
struct Block { float16_t d; uint8_t qs[16]; };
layout(std430, binding = 0) readonly buffer A { Block a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer D { float d[]; };
layout(push_constant) uniform P { uint columns; } p;
shared float part[16];

vec2 unpacked(uint block, uint k) {
  const uint q = uint(a[block].qs[k]);
  return (vec2(q & 0xFu, q >> 4) - 8.0) * float(a[block].d);
}

void main() {
  const uint row = gl_WorkGroupID.x, lane = gl_LocalInvocationID.x, blocks = p.columns / 32u;
  float sum = 0.0;
  for (uint i = 0u; i < blocks; i++) {
    const vec2 w = unpacked(row * blocks + i, lane);
    sum = fma(w.x, b[i * 32u + lane], sum);
    sum = fma(w.y, b[i * 32u + lane + 16u], sum);
  }
  part[lane] = sum;
  barrier();
  for (uint s = 8u; s > 0u; s >>= 1) {
    if (lane < s) part[lane] += part[lane + s];
    barrier();
  }
  if (lane == 0u) d[row] = part[0];
}
