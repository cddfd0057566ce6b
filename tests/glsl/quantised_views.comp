#version 450
// Two views of one memory that do overlap: the struct of halves and bytes, and all of it as 16-bit words.
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
//! target vulkan1.1
//! grid 1
//! buffer 0.0 = 64 * (f16 0.01..0.1, u8[16] 0..255)
//! buffer 0.1 = f32[64] -1..1
//! buffer 0.2 = f32[32] 0
//! push = blocks: u32 2
//! grad 0.2 by 0.1
layout(local_size_x = 32) in;
struct Block { float16_t d; uint8_t qs[16]; };
layout(std430, binding = 0) readonly buffer A { Block a[]; };
layout(std430, binding = 0) readonly buffer W { uint16_t w[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer D { float d[]; };
layout(push_constant) uniform P { uint blocks; } p;
void main() {
  const uint row = gl_GlobalInvocationID.x;
  float sum = 0.0;
  for (uint i = 0u; i < p.blocks; i++) {
    const uint ib = row * p.blocks + i;
    for (uint k = 0u; k < 8u; k++) {
      const uint q = uint(w[ib * 9u + 1u + k]);
      const float s = float(a[ib].d);
      sum += s * (float(q & 15u) - 8.0) * b[i * 32u + 2u * k] + s * (float((q >> 4) & 15u) - 8.0) * b[i * 32u + 2u * k + 16u];
      sum += s * (float((q >> 8) & 15u) - 8.0) * b[i * 32u + 2u * k + 1u] + s * (float(q >> 12) - 8.0) * b[i * 32u + 2u * k + 17u];
    }
  }
  d[row] = sum;
}
