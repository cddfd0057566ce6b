#version 450
// K-quants: super-blocks of 256 with two halves, 12 packed scales, 128 bytes of nibbles; the same memory in 16 and 32 bits.
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
//! target vulkan1.1
//! grid 1
//! buffer 0.0 = 64 * (f16[2] 0.001..0.01, u8[12] 0..255, u8[128] 0..255)
//! buffer 0.1 = f32[512] -1..1
//! buffer 0.2 = f32[32] 0
//! push = blocks: u32 2
//! grad 0.2 by 0.1
//! grad 0.2 by 0.0
layout(local_size_x = 32) in;
struct block_q4_K { f16vec2 dm; uint8_t scales[12]; uint8_t qs[128]; };
struct block_q4_K_packed16 { f16vec2 dm; uint16_t scales[6]; uint16_t qs[64]; };
struct block_q4_K_packed32 { f16vec2 dm; uint32_t scales[3]; uint32_t qs[32]; };
layout(std430, binding = 0) readonly buffer A { block_q4_K a[]; };
layout(std430, binding = 0) readonly buffer A16 { block_q4_K_packed16 a16[]; };
layout(std430, binding = 0) readonly buffer A32 { block_q4_K_packed32 a32[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer D { float d[]; };
layout(push_constant) uniform P { uint blocks; } p;
void main() {
  const uint row = gl_GlobalInvocationID.x;
  float sum = 0.0;
  for (uint i = 0u; i < p.blocks; i++) {
    const uint ib = row * p.blocks + i;
    const vec2 dm = vec2(a[ib].dm);
    for (uint j = 0u; j < 8u; j++) {
      uint sc, m;
      if (j < 4u) { sc = uint(a[ib].scales[j]) & 63u; m = uint(a[ib].scales[j + 4u]) & 63u; }
      else {
        sc = (uint(a[ib].scales[j + 4u]) & 0xFu) | ((uint(a[ib].scales[j - 4u]) >> 6) << 4);
        m = (uint(a[ib].scales[j + 4u]) >> 4) | ((uint(a[ib].scales[j]) >> 6) << 4);
      }
      const float dl = dm.x * float(sc), ml = dm.y * float(m);
      for (uint k = 0u; k < 8u; k++) {
        uint q = a32[ib].qs[(j >> 1) * 8u + k];
        if ((j & 1u) != 0u) q >>= 4;
        q &= 0x0F0F0F0Fu;
        for (uint l = 0u; l < 4u; l++)
          sum += (dl * float((q >> (8u * l)) & 0xFFu) - ml) * b[(i * 8u + j) * 32u + k * 4u + l];
      }
    }
  }
  d[row] = sum + 0.001 * float(a16[row].qs[5] & 255us);
}
