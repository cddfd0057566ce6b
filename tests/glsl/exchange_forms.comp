#version 450
// Floats added up by compare-and-swap in the forms that people write: a term taken away, a flag in front, a term that each try loads, and
// a first try that supposes zero.
//! grid 2
//! buffer 0.0 = f32[50] -1..1
//! buffer 0.1 = f32[250] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer B { uint sum[]; };

void take(uint at, float v) {
  uint seen = atomicOr(sum[at], 0u), wanted;
  do {
    wanted = seen;
    seen = atomicCompSwap(sum[at], wanted, floatBitsToUint(uintBitsToFloat(wanted) - v));
  } while (seen != wanted);
}
void flagged(uint at, float v) {
  bool done = false;
  uint wanted = atomicOr(sum[at], 0u);
  while (!done) {
    uint seen = atomicCompSwap(sum[at], wanted, floatBitsToUint(uintBitsToFloat(wanted) + v));
    done = seen == wanted;
    wanted = seen;
  }
}
void supposed(uint at, float v) {
  uint wanted = 0u, next = floatBitsToUint(v), seen;
  while ((seen = atomicCompSwap(sum[at], wanted, next)) != wanted) {
    wanted = seen;
    next = floatBitsToUint(uintBitsToFloat(seen) + v);
  }
}

void supposed_less(uint at, float v) {
  uint wanted = 0u, next = floatBitsToUint(-v), seen;
  while ((seen = atomicCompSwap(sum[at], wanted, next)) != wanted) {
    wanted = seen;
    next = floatBitsToUint(uintBitsToFloat(seen) - v);
  }
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= 50u) return;
  take(i, x[i] * x[i]);
  flagged(50u + i, x[i] + 0.25);
  supposed(100u + i, x[i] * x[i] * x[i]);
  supposed_less(200u + i, x[i]);
  uint old = atomicOr(sum[150u + i], 0u), tried;
  do {
    tried = old;
    old = atomicCompSwap(sum[150u + i], tried, floatBitsToUint(uintBitsToFloat(tried) + x[i] * x[i]));
  } while (old != tried);
}
