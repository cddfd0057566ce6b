#version 450
// Soft max of rows, with a scale: a workgroup for each row, a tree for the maximum and one for the sum.
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { uint columns; float scale; } p;
shared float part[32];

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * p.columns;
  float most = -1e30;
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) most = max(most, p.scale * x[row + k]);
  part[lane] = most;
  barrier();
  for (uint s = gl_WorkGroupSize.x >> 1; s > 0u; s >>= 1) {
    if (lane < s) part[lane] = max(part[lane], part[lane + s]);
    barrier();
  }
  most = part[0];
  barrier();
  float sum = 0.0;
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) {
    const float e = exp(p.scale * x[row + k] - most);
    y[row + k] = e;
    sum += e;
  }
  part[lane] = sum;
  barrier();
  for (uint s = gl_WorkGroupSize.x >> 1; s > 0u; s >>= 1) {
    if (lane < s) part[lane] += part[lane + s];
    barrier();
  }
  const float inverse = 1.0 / part[0];
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) y[row + k] *= inverse;
}
