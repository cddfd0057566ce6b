#version 450
// The largest float by maxima of words, whatever the words were: -0 is the least.
//! grid 2
//! buffer 0.0 = f32[32] -1..1
//! buffer 0.1 = f32[6] {0 -0.0 -3 0.25 5 -1e30}
//! buffer 0.2 = f32[2] 0
//! buffer 0.3 = f32[2] 0
//! grad 0.1 by 0.0 0.1
//! grad 0.2 by 0.0
//! grad 0.3 by 0.0
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer A { float x[]; };
layout(std430, binding = 1) buffer B { int most[6]; };
layout(std430, binding = 2) writeonly buffer C { float y[]; };
layout(std430, binding = 3) writeonly buffer D { float z[]; };
shared uint largest, nearest;

void main() {
  uint i = gl_GlobalInvocationID.x, lane = gl_LocalInvocationIndex;
  float v = i % 5u == 0u ? -0.0 : x[i] * 1.5;
  if (v >= 0.0) atomicMax(most[i % 6u], floatBitsToInt(v));
  if (lane == 0u) largest = 0u, nearest = 0x7f800000u;
  barrier();
  atomicMax(largest, floatBitsToUint(max(v, 0.0)));
  if (i % 5u != 0u && !isnan(v)) atomicMin(nearest, floatBitsToUint(abs(v) + 0.5));
  barrier();
  if (lane == 0u) {
    float most = uintBitsToFloat(largest);
    y[gl_WorkGroupID.x] = most * most;
    z[gl_WorkGroupID.x] = uintBitsToFloat(nearest);
  }
}
