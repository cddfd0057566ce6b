#version 450
// Exchange and compare-and-swap, each on a cell of its own; a float added up by compare-and-swap.
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = u32[128] 0..5
//! buffer 0.2 = u32[64] 0
//! buffer 0.3 = f32[32] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer C { uint cell[]; };
layout(binding = 2) writeonly buffer O { uint old[]; };
layout(binding = 3) buffer B { uint sum[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  old[i] = atomicCompSwap(cell[i], 3u, 100u + i);
  old[i] += 1000u * atomicExchange(cell[64u + (i ^ 1u)], 7u);
  if (i >= 32u) return;
  uint seen = sum[i], wanted;
  do {
    wanted = seen;
    seen = atomicCompSwap(sum[i], wanted, floatBitsToUint(uintBitsToFloat(wanted) + x[i]));
  } while (seen != wanted);
}
