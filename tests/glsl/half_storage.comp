#version 450
// 16-bit floats in storage and in arithmetic.
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
//! target vulkan1.1
//! grid 2
//! buffer 0.0 = f16[128] -1..1
//! buffer 0.1 = f16[64] 0
//! buffer 0.2 = f32[64] 0
// A fused multiplication and addition rounds once, and an unfused one twice; Vulkan allows both, and an f16 has 11 bits.
//! near 0.1 1e-3
//! near 0.2 1e-3
//! grad 0.2 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { f16vec2 x[]; };
layout(binding = 1) writeonly buffer H { float16_t h[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  f16vec2 v = x[i];
  float16_t p = v.x * v.y + float16_t(0.25);
  h[i] = p;
  y[i] = float(p) + float(v.x) * 3.0;
}
