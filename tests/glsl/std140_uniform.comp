#version 450
// A uniform block of std140: nested structs, an array of floats in steps of 16 bytes, a vec3 followed by a float, matrices.
//! grid 1
//! uniform 0.0 = colour: f32[3] 0.1..1, power: f32 2.5, 4 * (weight: f32 -1..1, pad 12),
//!   shift: f32[2] -1..1, pad 8, count: i32 3, gain: f32 0.5, pad 8, 2 * (m: f32[3] -1..1, pad 4),
//!   r_0_0: f32 0.3, r_1_0: f32 -0.5, r_2_0: f32 0.75, pad 4, r_0_1: f32 0.6, r_1_1: f32 0.2, r_2_1: f32 -0.9, pad 4
//! buffer 0.1 = f32[64] -1..1
//! buffer 0.2 = f32[64] 0
//! grad 0.2 by 0.1
layout(local_size_x = 32) in;
struct Inner { int count; float gain; };
struct Outer { vec2 shift; Inner inner; };
layout(std140, binding = 0) uniform U {
  vec3 colour;
  float power;
  float weight[4];
  Outer outer;
  mat2x3 m;
  layout(row_major) mat3x2 r;
} u;
layout(std430, binding = 1) readonly buffer X { vec2 x[]; };
layout(std430, binding = 2) writeonly buffer Y { vec2 y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  vec2 v = x[i] + u.outer.shift;
  vec3 t = u.m * v + u.colour;
  float sum = 0.0;
  for (int k = 0; k < u.outer.inner.count; k++) sum += u.weight[k] * float(k + 1);
  y[i] = u.r * t * u.outer.inner.gain + sum * u.power;
}
