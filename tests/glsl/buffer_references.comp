#version 450
// Addresses that go through functions and variables, of structs and of matrices, beside a buffer that is bound.
#extension GL_EXT_buffer_reference : require
//! target vulkan1.2
//! grid 2
//! address points = 32 * (f32[3] -1..1, f32 0.5..2)
//! address turn = f32[12] -1..1, f32 0.25
//! address out = f32[128] 0.5..2
//! buffer 0.3 = f32[32] -1..1
//! buffer 0.4 = u32[1] 32
//! push = pad: u32[2] 7, points: address, turn: address, out: address, scale: f32 0.75
//! grad out by points turn 0.3 out
// A device may add a matrix's products in another order.
//! near out 1e-6
layout(local_size_x = 32) in;
struct Point { vec3 at; float mass; };
layout(buffer_reference, std430) readonly buffer Points { Point point[]; };
layout(buffer_reference, std430) readonly buffer Turn { mat3x4 turn; float bias; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Out { vec4 v[]; };
layout(set = 0, binding = 3) readonly buffer W { float w[]; };
layout(set = 0, binding = 4) readonly buffer N { uint n; };
layout(push_constant) uniform P { uvec2 pad; Points points; Turn turn; Out res; float scale; } p;

Point point_of(Points points, uint i) { return points.point[i]; }

vec4 turned(Points points, Turn by, uint i) {
  Point q = point_of(points, i);
  return by.turn * q.at * q.mass + vec4(by.bias);
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  Out to = p.res;
  if (i >= n) return;
  vec4 there = turned(p.points, p.turn, i) * w[i];
  there.z += p.scale * point_of(p.points, n - 1u - i).mass;
  to.v[i] = there * to.v[i];
}
