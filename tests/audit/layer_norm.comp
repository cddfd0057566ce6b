#version 450
// What tests/glsl/layer_norm_backward.comp is the backward pass of, by the loop that comes to mind first.
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer X { float x[60]; };
layout(binding = 1) readonly buffer W { float weight[20]; };
layout(binding = 2) writeonly buffer Y { float y[60]; };
layout(push_constant) uniform P { uint columns; float eps; } p;

void main() {
  const uint row = gl_GlobalInvocationID.x * p.columns;
  if (row >= 60u) return;
  float sum = 0.0, squares = 0.0;
  for (uint k = 0u; k < p.columns; k++) sum += x[row + k];
  const float mean = sum / float(p.columns);
  for (uint k = 0u; k < p.columns; k++) squares += (x[row + k] - mean) * (x[row + k] - mean);
  const float scale = inversesqrt(squares / float(p.columns) + p.eps);
  for (uint k = 0u; k < p.columns; k++) y[row + k] = (x[row + k] - mean) * scale * weight[k];
}
