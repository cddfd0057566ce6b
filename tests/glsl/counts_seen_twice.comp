#version 450
// Likewise, of a count that is stored to through another view of its binding.
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = u32[4] 50
//! buffer 0.2 = u32[64] iota
//! buffer 0.3 = f32[64] -1..1
//! refused 0.3 by 0.0 grad-workgroups
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Counts { uint count[4]; };
layout(binding = 1) buffer Pairs { uvec2 pair[2]; };
layout(binding = 2) readonly buffer Order { uint order[]; };
layout(binding = 3) buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < atomicOr(count[1], 0u)) y[order[i]] = y[order[i]] * x[i];
  if (i == 63u) pair[0].y = 50u;
}
