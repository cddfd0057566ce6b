#version 450
// RMS norm of rows with weights: a workgroup for each row, a tree in shared memory.
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer W { float weight[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint columns; float eps; } p;
shared float part[32];

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * p.columns;
  float sum = 0.0;
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) sum += x[row + k] * x[row + k];
  part[lane] = sum;
  barrier();
  for (uint s = gl_WorkGroupSize.x >> 1; s > 0u; s >>= 1) {
    if (lane < s) part[lane] += part[lane + s];
    barrier();
  }
  const float scale = inversesqrt(part[0] / float(p.columns) + p.eps);
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) y[row + k] = scale * x[row + k] * weight[k];
}
