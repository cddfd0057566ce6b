#version 450
// The larger or the smaller float kept by exchanges that ask first whether there is anything to do; in a buffer that holds a NaN as well.
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[4] -0.5..0.5
//! buffer 0.2 = f32[4] -0.5..0.5
//! buffer 0.3 = f32[2] 0
//! buffer 0.4 = u32[2] 0xffffffff
//! buffer 0.5 = f32[4] -1..1
//! buffer 0.6 = u32[4] 0
//! grad 0.1 by 0.0
//! grad 0.2 by 0.0
//! grad 0.3 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Most { uint most[]; };
layout(binding = 2) buffer Least { int least[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(binding = 4) buffer Nans { uint nans[]; };
layout(binding = 5) readonly buffer Seen { float seen[]; };
layout(binding = 6) buffer Others { uint others[]; };
shared uint top;

void keep_most(uint k, float v) {
  uint expected = most[k];
  while (uintBitsToFloat(expected) < v) {
    uint got = atomicCompSwap(most[k], expected, floatBitsToUint(v));
    if (got == expected) break;
    expected = got;
  }
}

void keep_least(uint k, float v) {
  int expected = least[k];
  while (v <= intBitsToFloat(expected)) {
    int got = atomicCompSwap(least[k], expected, floatBitsToInt(v));
    if (got == expected) return;
    expected = got;
  }
}

void main() {
  uint i = gl_GlobalInvocationID.x, lane = gl_LocalInvocationID.x;
  keep_most(i & 3u, x[i]);
  keep_least(i & 3u, x[i] * 2.0);
  if (lane == 0u) top = 0xff800000u;
  barrier();
  uint expected = top;
  while (uintBitsToFloat(expected) < x[i]) {
    uint got = atomicCompSwap(top, expected, floatBitsToUint(x[i]));
    if (got == expected) break;
    expected = got;
  }
  barrier();
  if (lane == 0u) y[gl_WorkGroupID.x] = uintBitsToFloat(top) * x[i];
  uint held = nans[0];
  while (uintBitsToFloat(held) < x[i]) {
    uint got = atomicCompSwap(nans[0], held, floatBitsToUint(x[i]));
    if (got == held) break;
    held = got;
  }
  // Begins with another number than the element, which decides who comes to an exchange at all.
  uint other = floatBitsToUint(seen[i & 3u]);
  while (uintBitsToFloat(other) < x[i]) {
    uint got = atomicCompSwap(others[i & 3u], other, floatBitsToUint(x[i]));
    if (got == other) break;
    other = got;
  }
}
