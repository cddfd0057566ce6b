#version 450
// Memory of words that holds floats alone, as compilers write it that have one type for all memory: strides of the grid, words that
// are moved on, others that are zero, and sums by exchanges.
//! grid 2
//! buffer 0.0 = f32[60] -1..1
//! buffer 0.1 = f32[120] 0
//! buffer 0.2 = f32[2] 0.5
//! push = n: i32 60, gain: f32 1.5
//! grad 0.1 by 0.0
//! grad 0.2 by 0.0 0.2
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer A { uint from[]; };
layout(std430, binding = 1) writeonly buffer B { uint to[]; };
layout(std430, binding = 2) buffer C { uint sums[]; };
layout(push_constant) uniform P { int n; float gain; };

void add(uint at, float x) {
  uint seen;
  do seen = sums[at]; while (atomicCompSwap(sums[at], seen, floatBitsToUint(uintBitsToFloat(seen) + x)) != seen);
}

void main() {
  int lanes = int(gl_NumWorkGroups.x * gl_WorkGroupSize.x);
  for (int i = int(gl_GlobalInvocationID.x); i < n; i += lanes) {
    int address = i << 2;
    uint word = from[uint(address) >> 2];
    float x = uintBitsToFloat(word);
    to[2 * i] = x > 0.75 ? 0u : floatBitsToUint(gain * x * x);
    to[2 * i + 1] = word;
    add(i & 1, x * x);
  }
}
