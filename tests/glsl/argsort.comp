#version 450
// Inference: the order of a row by a bitonic network over indices in shared memory. An order has no gradient.
//! grid 2
//! buffer 0.0 = f32[60] -1..1
//! buffer 0.1 = i32[60] 0
//! refused 0.1 by 0.0 grad-not-float
//! push = columns: u32 30
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer O { int order[]; };
layout(push_constant) uniform P { uint columns; } p;
shared int index[32];

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * p.columns;
  index[lane] = int(lane);
  barrier();
  for (uint k = 2u; k <= 32u; k *= 2u) {
    for (uint j = k / 2u; j > 0u; j /= 2u) {
      const uint other = lane ^ j;
      if (other > lane) {
        const int a = index[lane], b = index[other];
        const bool up = (lane & k) == 0u;
        const bool a_out = uint(a) >= p.columns, b_out = uint(b) >= p.columns;
        const bool swap = up ? a_out || (!b_out && x[row + uint(a)] > x[row + uint(b)])
                             : b_out || (!a_out && x[row + uint(a)] < x[row + uint(b)]);
        if (swap) {
          index[lane] = b;
          index[other] = a;
        }
      }
      barrier();
    }
  }
  if (lane < p.columns) order[row + lane] = index[lane];
}
