#version 450
// Integer arithmetic where languages differ: wrapping, shifts of negative numbers, division, high halves, carries.
//! grid 1
//! buffer 0.0 = i32[64] -2147483648..2147483647
//! buffer 0.1 = u32[512] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { ivec2 x[]; };
layout(binding = 1) writeonly buffer Y { uint y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x, at = 16u * i;
  int a = x[i].x, b = x[i].y, high, low;
  uint u = uint(a), v = uint(b), carry, uhigh, ulow;
  y[at] = uint(a * b + 12345);
  y[at + 1u] = uint(a >> (b & 31));
  y[at + 2u] = u >> (v & 31u);
  y[at + 3u] = u << (v & 31u);
  y[at + 4u] = uint(abs(a) / (abs(b) / 65536 + 1));
  y[at + 5u] = u / (v | 1u) + u % (v | 1u);
  y[at + 6u] = uaddCarry(u, v, carry);
  y[at + 7u] = carry;
  y[at + 8u] = usubBorrow(u, v, carry) ^ carry;
  umulExtended(u, v, uhigh, ulow);
  y[at + 9u] = uhigh;
  y[at + 10u] = ulow;
  imulExtended(a, b, high, low);
  y[at + 11u] = uint(high) ^ uint(low);
  y[at + 12u] = uint(max(a, b) - min(a, b)) + max(u, v) - min(u, v);
  y[at + 13u] = uint(clamp(a, -1000, 1000) + sign(b));
  y[at + 14u] = ~u ^ (v & 0xff00ffu | 3u);
  y[at + 15u] = uint(int(float(a) * 0.25)) + uint(int(float(v >> 8)));
}
