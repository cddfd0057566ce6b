#version 450
// Specialization constants of every scalar type, in an array's length, a loop's bound, a branch, and in arithmetic.
//! grid 2
//! const 3 = u32 6
//! const 4 = f32 1.5
//! const 6 = i32 -2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(constant_id = 3) const uint TAPS = 4u;
layout(constant_id = 4) const float GAIN = 0.5;
layout(constant_id = 5) const bool SQUARE = true;
layout(constant_id = 6) const int SHIFT = 1;
const uint TWICE = 2u * TAPS + 1u;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
shared float tile[TWICE];

void main() {
  uint i = gl_GlobalInvocationID.x, lane = gl_LocalInvocationID.x;
  if (lane < TWICE) tile[lane] = GAIN * x[i];
  barrier();
  float r = SQUARE ? x[i] * x[i] : x[i];
  float w[TAPS];
  for (uint k = 0u; k < TAPS; k++) w[k] = x[(i + k) % 64u] * float(int(k) + SHIFT);
  for (uint k = 0u; k < TAPS; k++) r += w[TAPS - 1u - k] * tile[(k * 2u) % TWICE];
  y[i] = r;
}
