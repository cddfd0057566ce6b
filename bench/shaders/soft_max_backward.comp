#version 450
// By hand, from what the forward shader left in y: grad_x = scale * y * (g - sum(y * g)).
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Y { float y[]; };
layout(binding = 1) readonly buffer G { float grad_y[]; };
layout(binding = 2) writeonly buffer D { float grad_x[]; };
layout(push_constant) uniform P { uint columns; float scale; } p;
shared float part[32];

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * p.columns;
  float sum = 0.0;
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) sum += y[row + k] * grad_y[row + k];
  part[lane] = sum;
  barrier();
  for (uint s = gl_WorkGroupSize.x >> 1; s > 0u; s >>= 1) {
    if (lane < s) part[lane] += part[lane + s];
    barrier();
  }
  const float along = part[0];
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x)
    grad_x[row + k] = p.scale * y[row + k] * (grad_y[row + k] - along);
}
