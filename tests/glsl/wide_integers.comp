#version 450
// 64-bit integers and floats, and 16-bit integers in arithmetic.
#extension GL_EXT_shader_explicit_arithmetic_types : require
//! target vulkan1.1
//! grid 1
//! buffer 0.0 = u32[64] 0..4294967295
//! buffer 0.1 = u64[32] 0
//! buffer 0.2 = f64[32] 0
//! buffer 0.3 = u32[32] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { uvec2 x[]; };
layout(binding = 1) writeonly buffer L { uint64_t l[]; };
layout(binding = 2) writeonly buffer D { double d[]; };
layout(binding = 3) writeonly buffer S { uint s[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint64_t a = uint64_t(x[i].x) << 32 | x[i].y;
  l[i] = a * 6364136223846793005ul + 1442695040888963407ul;
  d[i] = double(x[i].x) / 3.0 + sqrt(double(x[i].y));
  int16_t h = int16_t(x[i].x), k = int16_t(x[i].y);
  s[i] = uint(int(h * k)) ^ uint(uint16_t(h) >> 3us);
}
