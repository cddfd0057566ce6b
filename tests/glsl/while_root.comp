#version 450
// A while loop until a value converges, with a bound on trips.
//! grid 1
//! buffer 0.0 = f32[32] 0.5..9
//! buffer 0.1 = f32[32] 0
//! buffer 0.2 = u32[32] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer N { uint n[]; };

void main() {
  uint i = gl_GlobalInvocationID.x, trips = 0u;
  float r = 4.0;
  while (abs(r * r - x[i]) > 0.125 && trips < 20u) {
    r = 0.5 * (r + x[i] / r);
    trips++;
  }
  y[i] = r;
  n[i] = trips;
}
