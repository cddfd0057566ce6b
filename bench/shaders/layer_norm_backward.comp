#version 450
// By hand: with n = (x - mean) * scale and h = w * g, grad_x = scale * (h - mean(h) - n * mean(h * n)).
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer W { float weight[]; };
layout(binding = 2) readonly buffer G { float grad_y[]; };
layout(binding = 3) writeonly buffer D { float grad_x[]; };
layout(push_constant) uniform P { uint columns; float eps; } p;
shared vec3 part[32];

vec3 total(vec3 own) {
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
  const float mean = total(vec3(sum)).x / float(p.columns);
  vec3 sums = vec3(0.0);
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) {
    const float d = x[row + k] - mean, h = weight[k] * grad_y[row + k];
    sums += vec3(d * d, h, h * d);
  }
  const vec3 means = total(sums) / float(p.columns);
  const float scale = inversesqrt(means.x + p.eps);
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) {
    const float n = (x[row + k] - mean) * scale;
    grad_x[row + k] = scale * (weight[k] * grad_y[row + k] - means.y - n * scale * means.z);
  }
}
