#version 450
// One binding seen as floats and as vectors, another as bits and as floats.
//! grid 1
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! buffer 0.2 = f32[16] 0
//! grad 0.1 by 0.0
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer X1 { float x[]; };
layout(binding = 0) readonly buffer X4 { vec4 x4[]; };
layout(binding = 1) writeonly buffer Y4 { vec4 y4[]; };
layout(binding = 1) writeonly buffer Y1 { float y[]; };
layout(binding = 2) writeonly buffer U { uint u[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < 8u) {
    y4[i] = x4[i] * 2.0 + x[4u * i];
  } else {
    for (uint k = 0u; k < 4u; k++) y[4u * i + k] = x[4u * i + k] * x4[i - 8u].w;
  }
  u[i] = floatBitsToUint(x[i]) ^ 0x80000000u;
}
