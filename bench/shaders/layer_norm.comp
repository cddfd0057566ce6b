#version 450
// Layer norm of rows with weights and biases: a workgroup for each row, two trees in shared memory.
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer W { float weight[]; };
layout(binding = 2) readonly buffer B { float bias[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint columns; float eps; } p;
shared float part[32];

float total(float own) {
  const uint lane = gl_LocalInvocationID.x;
  barrier();
  part[lane] = own;
  barrier();
  for (uint s = gl_WorkGroupSize.x >> 1; s > 0u; s >>= 1) {
    if (lane < s) part[lane] += part[lane + s];
    barrier();
  }
  return part[0];
}

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * p.columns;
  float sum = 0.0;
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) sum += x[row + k];
  const float mean = total(sum) / float(p.columns);
  float squares = 0.0;
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) {
    const float d = x[row + k] - mean;
    squares += d * d;
  }
  const float scale = inversesqrt(total(squares) / float(p.columns) + p.eps);
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) y[row + k] = (x[row + k] - mean) * scale * weight[k] + bias[k];
}
