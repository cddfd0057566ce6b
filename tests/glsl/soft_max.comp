#version 450
// Inference: soft max of rows with a mask and a slope; values are parked in a local array between the passes.
//! grid 2
//! buffer 0.0 = f32[120] -3..3
//! buffer 0.1 = f32[60] {0 0 -1 0 -2.5}
//! buffer 0.2 = f32[120] 0
//! push = columns: u32 60, scale: f32 0.5, slope: f32 0.25, masked: u32 1
//! const 0 = u32 32
//! grad 0.2 by 0.0 0.1
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint SIZE = 64u;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer M { float mask[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint columns; float scale; float slope; uint masked; } p;
shared float part[SIZE];
const uint PARKED = 4u;

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * p.columns;
  float parked[PARKED], most = uintBitsToFloat(0xff800000u);
  for (uint k = lane, j = 0u; k < p.columns; k += SIZE, j++) {
    float v = p.scale * x[row + k];
    if (p.masked != 0u) v += p.slope * mask[k];
    if (j < PARKED) parked[j] = v;
    most = max(most, v);
  }
  part[lane] = most;
  barrier();
  for (uint s = SIZE / 2u; s > 0u; s /= 2u) {
    if (lane < s) part[lane] = max(part[lane], part[lane + s]);
    barrier();
  }
  most = part[0];
  barrier();
  float sum = 0.0;
  for (uint k = lane, j = 0u; k < p.columns; k += SIZE, j++) {
    const float e = exp(parked[j] - most);
    parked[j] = e;
    sum += e;
  }
  part[lane] = sum;
  barrier();
  for (uint s = SIZE / 2u; s > 0u; s /= 2u) {
    if (lane < s) part[lane] += part[lane + s];
    barrier();
  }
  const float inverse = 1.0 / part[0];
  for (uint k = lane, j = 0u; k < p.columns; k += SIZE, j++) y[row + k] = parked[j] * inverse;
}
