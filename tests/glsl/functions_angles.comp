#version 450
// GLSL.std.450: trigonometry, its inverses, hyperbolic functions, degrees and radians.
//! grid 2
//! buffer 0.0 = f32[64] -0.8..0.8
//! buffer 0.1 = f32[896] 0
// Vulkan allows 4096 ULP in atan, and asin and acos are made of it.
//! near 0.1 4.9e-4
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x, at = 14u * i;
  float v = x[i];
  y[at] = sin(v);
  y[at + 1u] = cos(v);
  y[at + 2u] = tan(v);
  y[at + 3u] = asin(v);
  y[at + 4u] = acos(v);
  y[at + 5u] = atan(v);
  y[at + 6u] = atan(v, 0.5 + v * v);
  y[at + 7u] = sinh(v);
  y[at + 8u] = cosh(v);
  y[at + 9u] = tanh(3.0 * v);
  y[at + 10u] = asinh(v);
  y[at + 11u] = acosh(2.0 + v);
  y[at + 12u] = atanh(v);
  y[at + 13u] = 0.02 * degrees(v) + radians(v);
}
