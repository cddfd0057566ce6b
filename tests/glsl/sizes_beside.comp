#version 450
// Sizes that lie beside another number in a storage block: what nobody stores to stays, so that loops up to them count.
//! grid 2
//! buffer 0.0 = u32 20, f32 0.5, u32 8
//! buffer 0.1 = f32[160] -1..1
//! buffer 0.2 = f32[32] 0
//! grad 0.2 by 0.1
//! grad 0.2 by 0.0
//! no_tape 0.2 by 0.1
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer Sizes { uint n; float gain; uint w; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  float s = 0.0;
  for (uint k = 0u; k < n; k++)
    for (uint j = i % 2u; j < w; j += 2u) s += x[k * w + j] * float(k + 1u);
  y[i] = gain * s;
}
