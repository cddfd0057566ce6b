#version 450
// Scalar layout: a vec3 of 12 bytes in an array, a struct of 20.
#extension GL_EXT_scalar_block_layout : require
//! target vulkan1.2
//! grid 2
//! buffer 0.0 = 64 * (f32[3] -1..1, f32 0.5..2, u32 0..2)
//! buffer 0.1 = f32[192] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
struct Body { vec3 at; float mass; uint axis; };
layout(scalar, binding = 0) readonly buffer Bodies { Body body[]; };
layout(scalar, binding = 1) writeonly buffer Force { vec3 force[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  Body b = body[i];
  vec3 f = -b.mass * b.at;
  f[b.axis] *= 3.0;
  force[i] = f;
}
