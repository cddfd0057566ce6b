#version 450
// GLSL.std.450: frexp and ldexp, which take floats apart; isnan, isinf; bits of floats as integers.
//! grid 2
//! buffer 0.0 = f32[64] -9..9
//! buffer 0.1 = f32[128] 0
//! buffer 0.2 = i32[256] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer Z { int z[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  int e;
  float part = frexp(x[i], e);
  y[2u * i] = part;
  y[2u * i + 1u] = ldexp(part, e - 3);
  z[4u * i] = e;
  z[4u * i + 1u] = floatBitsToInt(x[i]);
  z[4u * i + 2u] = int(isnan(intBitsToFloat(0x7fc00000 + int(i)))) + 2 * int(isinf(x[i] / 0.5));
  z[4u * i + 3u] = int(floatBitsToUint(x[i]) >> 23u & 0xffu);
}
