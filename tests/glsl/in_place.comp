#version 450
// Inputs that are outputs: a buffer read and written, twice over, behind a condition.
//! grid 2
//! buffer 0.0 = f32[192] -1..1
//! grad 0.0 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { float b[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  float v = b[3u * i];
  b[3u * i] = v * b[3u * i + 1u];
  if (b[3u * i] > 0.0) b[3u * i + 2u] += b[3u * i];
  b[3u * i + 1u] = b[3u * i + 2u] * b[3u * i];
}
