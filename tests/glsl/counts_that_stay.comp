#version 450
#extension GL_KHR_memory_scope_semantics : require
// Counts that an earlier dispatch left, looked at by atomics that change nothing: such memory is an input. One list is turned in place.
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = u32[4] 50
//! buffer 0.2 = i32[8] 41
//! buffer 0.3 = u32[64] iota
//! buffer 0.4 = f32[64] -1..1
//! grad 0.4 by 0.0
//! grad 0.4 by 0.4
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Counts { uint count[4]; };
layout(binding = 2) buffer Bounds { int bound[8]; };
layout(binding = 3) readonly buffer Order { uint order[]; };
layout(binding = 4) buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint most = atomicLoad(count[0], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
  most = min(most, atomicAdd(count[1], 0u));
  most = min(most, atomicCompSwap(count[2], 7u, 7u));
  most = min(most, atomicMax(count[3], 0u));
  most = min(most, uint(atomicMin(bound[0], 0x7fffffff)));
  most = min(most, uint(atomicMax(bound[1], int(0x80000000))));
  most = min(most, uint(atomicAnd(bound[2], -1)));
  most = min(most, uint(atomicOr(bound[3], 0)));
  most = min(most, uint(atomicXor(bound[4], 0)));
  if (i < most) y[order[i]] = y[order[i]] * x[i] + 0.5 * x[i];
}
