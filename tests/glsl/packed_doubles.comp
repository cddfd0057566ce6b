#version 450
// Doubles of two words, and back.
#extension GL_ARB_gpu_shader_fp64 : require
//! grid 2
//! buffer 0.0 = f64[32] -2..2
//! buffer 0.1 = f64[32] -2..2
//! buffer 0.2 = f64[32] 0
//! buffer 0.3 = u32[64] 0
//! grad 0.2 by 0.1
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer X { uvec2 x[]; };
layout(binding = 1) readonly buffer W { double w[]; };
layout(binding = 2) writeonly buffer Y { double y[]; };
layout(binding = 3) writeonly buffer Z { uvec2 z[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  double d = packDouble2x32(x[i]);
  y[i] = d * w[i] * w[i];
  z[i] = unpackDouble2x32(d + 1.0LF);
}
