#version 450
// Maxima and minima of words that are NaN to begin with: in a maximum a NaN stays, and in a minimum it goes, or stays where it has a sign.
//! grid 2
//! buffer 0.0 = f32[32] -1..1
//! buffer 0.1 = f32[4] {nan 0.5 -nan -0.0}
//! buffer 0.2 = f32[4] {nan 0.5 -nan 8}
//! grad 0.1 by 0.0 0.1
//! grad 0.2 by 0.0 0.2
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer A { float x[]; };
layout(std430, binding = 1) buffer B { uint most[4]; };
layout(std430, binding = 2) buffer C { int least[4]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  atomicMax(most[i & 3u], floatBitsToUint(max(x[i], 0.0)));
  if (!isnan(x[i])) atomicMin(least[i & 3u], floatBitsToInt(abs(x[i])));
}
