#version 450
// The largest and the smallest float, by exchanges of words.
//! grid 2
//! buffer 0.0 = f32[32] -1..1
//! buffer 0.1 = f32[4] {-0.1 -5 0.1 5}
//! grad 0.1 by 0.0 0.1
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer A { float x[]; };
layout(std430, binding = 1) buffer B { uint most[2], least[2]; };

void larger(uint at, float v) {
  uint seen;
  do seen = most[at]; while (atomicCompSwap(most[at], seen, floatBitsToUint(max(uintBitsToFloat(seen), v))) != seen);
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  float v = x[i] * 1.5;
  larger(i & 1u, v);
  uint old = least[i & 1u];
  for (;;) {
    uint seen = atomicCompSwap(least[i & 1u], old, floatBitsToUint(min(v, uintBitsToFloat(old))));
    if (seen == old) break;
    old = seen;
  }
}
