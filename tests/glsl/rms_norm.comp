#version 450
// Inference: RMS norm of rows with weights, a workgroup for each row.
//! grid 3
//! buffer 0.0 = f32[300] -2..2
//! buffer 0.1 = f32[100] 0.5..1.5
//! buffer 0.2 = f32[300] 0
//! push = columns: u32 100, eps: f32 0.00001
//! grad 0.2 by 0.0 0.1
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer W { float weight[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint columns; float eps; } p;
shared float part[32];

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * p.columns;
  part[lane] = 0.0;
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) {
    const float v = x[row + k];
    part[lane] += v * v;
  }
  barrier();
  for (uint s = gl_WorkGroupSize.x >> 1; s > 0; s >>= 1) {
    if (lane < s) part[lane] += part[lane + s];
    barrier();
  }
  const float scale = inversesqrt(part[0] / float(p.columns) + p.eps);
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) y[row + k] = scale * x[row + k] * weight[k];
}
