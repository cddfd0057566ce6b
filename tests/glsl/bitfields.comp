#version 450
// Fields of bits: insert, extract signed and unsigned, reverse, count, lowest and highest.
//! grid 1
//! buffer 0.0 = u32[64] 0..4294967295
//! buffer 0.1 = u32[256] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { uvec2 x[]; };
layout(binding = 1) writeonly buffer Y { uint y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x, at = 8u * i;
  uint a = x[i].x, b = x[i].y;
  int offset = int(b & 15u), bits = int(b >> 4u & 15u);
  y[at] = bitfieldInsert(a, b, offset, bits);
  y[at + 1u] = bitfieldExtract(a, offset, bits);
  y[at + 2u] = uint(bitfieldExtract(int(a), offset, bits));
  y[at + 3u] = bitfieldReverse(a);
  y[at + 4u] = uint(bitCount(a));
  y[at + 5u] = uint(findLSB(a)) + 64u * uint(findMSB(b));
  y[at + 6u] = uint(findMSB(int(a)));
  y[at + 7u] = uint(findLSB(0u)) ^ uint(findMSB(0u)) ^ a;
}
