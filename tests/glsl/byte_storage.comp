#version 450
// 8- and 16-bit integers in storage: a quantised block with its scale, signed and unsigned.
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
//! target vulkan1.1
//! grid 1
//! buffer 0.0 = 32 * (f16 0.01..0.1, i8[6] -128..127, pad 0)
//! buffer 0.1 = f32[32] 0
//! buffer 0.2 = i16[32] -3000..3000
//! buffer 0.3 = u8[32] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
struct Block { float16_t d; int8_t q[6]; };
layout(std430, binding = 0) readonly buffer X { Block x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
layout(std430, binding = 2) buffer S { int16_t s[]; };
layout(std430, binding = 3) writeonly buffer B { uint8_t b[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  int sum = 0;
  for (int k = 0; k < 6; k++) sum += int(x[i].q[k]) * (k + 1);
  y[i] = float(x[i].d) * float(sum);
  s[i] = int16_t(int(s[i]) * 3 + sum);
  b[i] = uint8_t(uint(sum) >> 2u);
}
