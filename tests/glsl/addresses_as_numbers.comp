#version 460
// Addresses of buffers as numbers in push constants, of 64 bits or of two words, and one for elements of two types.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
//! target vulkan1.2
//! grid 2
//! address x = f32[64] -1..1
//! address w = f32[64] -1..1
//! address y = f32[64] 0
//! push = x: address, w: address, y: address, n: u32 60
//! grad y by x
//! grad y by w
layout(local_size_x = 32) in;
layout(buffer_reference, std430) readonly buffer In { float v[]; };
layout(buffer_reference, std430) readonly buffer Pairs { vec2 v[]; };
layout(buffer_reference, std430) writeonly buffer Out { float v[]; };
layout(push_constant) uniform P { uint64_t x; uvec2 w; uint64_t y; uint n; };

float at(Pairs p, uint i) { return p.v[i / 2u][i % 2u]; }

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= n) return;
  In one = In(w);
  Out(y).v[i] = In(x).v[i] * at(Pairs(x), i) + one.v[i] * In(x).v[(i + 1u) % n];
}
