#version 450
// An atomic that adds nothing, of a count that another one may raise: which invocations see it raised is not known in reverse.
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = u32[1] 50
//! buffer 0.2 = u32[64] iota
//! buffer 0.3 = f32[64] -1..1
//! refused 0.3 by 0.0 grad-workgroups
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Count { uint count; };
layout(binding = 2) readonly buffer Order { uint order[]; };
layout(binding = 3) buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < atomicAdd(count, 0u)) y[order[i]] = y[order[i]] * x[i];
  if (i == 63u) atomicMax(count, 50u);
}
