#version 450
// By hand: grad_x = scale * (w * g - x * scale^2 * mean(x * w * g)).
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer W { float weight[]; };
layout(binding = 2) readonly buffer G { float grad_y[]; };
layout(binding = 3) writeonly buffer D { float grad_x[]; };
layout(push_constant) uniform P { uint columns; float eps; } p;
shared vec2 part[32];

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * p.columns;
  vec2 sum = vec2(0.0);
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x) {
    const float v = x[row + k];
    sum += vec2(v * v, v * weight[k] * grad_y[row + k]);
  }
  part[lane] = sum;
  barrier();
  for (uint s = gl_WorkGroupSize.x >> 1; s > 0u; s >>= 1) {
    if (lane < s) part[lane] += part[lane + s];
    barrier();
  }
  const vec2 mean = part[0] / float(p.columns);
  const float scale = inversesqrt(mean.x + p.eps), along = mean.y * scale * scale;
  for (uint k = lane; k < p.columns; k += gl_WorkGroupSize.x)
    grad_x[row + k] = scale * (weight[k] * grad_y[row + k] - x[row + k] * along);
}
