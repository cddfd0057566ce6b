#version 450
// packHalf2x16 and its relatives.
//! grid 1
//! buffer 0.0 = f32[128] -1..1
//! buffer 0.1 = u32[160] 0
//! buffer 0.2 = f32[128] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) writeonly buffer U { uint u[]; };
layout(binding = 2) writeonly buffer Y { vec4 y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  vec4 v = x[i];
  uint half2 = packHalf2x16(v.xy), snorm = packSnorm4x8(v), unorm = packUnorm4x8(v);
  u[5u * i] = half2;
  u[5u * i + 1u] = snorm;
  u[5u * i + 2u] = unorm;
  u[5u * i + 3u] = packSnorm2x16(v.zw);
  u[5u * i + 4u] = packUnorm2x16(v.zw);
  y[i] = vec4(unpackHalf2x16(half2), unpackSnorm4x8(snorm).x, unpackUnorm4x8(unorm).w + unpackUnorm2x16(half2).x);
}
