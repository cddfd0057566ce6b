#version 450
// GLSL.std.450: modf, which stores the whole part through a pointer.
//! grid 1
//! buffer 0.0 = f32[32] -9..9
//! buffer 0.1 = f32[64] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  float whole;
  y[2u * i] = modf(x[i], whole);
  y[2u * i + 1u] = whole;
}
