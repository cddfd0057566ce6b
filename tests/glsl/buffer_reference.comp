#version 450
// Buffers by 64-bit addresses in push constants.
#extension GL_EXT_buffer_reference : require
//! target vulkan1.2
//! grid 2
//! address x = f32[64] -1..1
//! address y = f32[64] 0
//! push = x: address, y: address, n: u32 60, a: f32 1.5
//! grad y by x
layout(local_size_x = 32) in;
layout(buffer_reference, std430) readonly buffer In { float v[]; };
layout(buffer_reference, std430) writeonly buffer Out { float v[]; };
layout(push_constant) uniform P { In x; Out y; uint n; float a; } p;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < p.n) p.y.v[i] = p.a * p.x.v[i] * p.x.v[i];
}
