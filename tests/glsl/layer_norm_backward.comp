#version 450
// Training: a hand-written backward pass of layer norm over rows, itself differentiable again.
//! grid 3
//! buffer 0.0 = f32[60] -2..2
//! buffer 0.1 = f32[60] -1..1
//! buffer 0.2 = f32[20] 0.5..1.5
//! buffer 0.3 = f32[60] 0
//! push = columns: u32 20, eps: f32 0.001
//! grad 0.3 by 0.0 0.1 0.2
layout(local_size_x = 4) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer G { float dy[]; };
layout(binding = 2) readonly buffer W { float weight[]; };
layout(binding = 3) writeonly buffer D { float dx[]; };
layout(push_constant) uniform P { uint columns; float eps; } p;
shared float part[3][4];

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * p.columns;
  float sums[3] = float[](0.0, 0.0, 0.0);
  for (uint k = lane; k < p.columns; k += 4u) {
    sums[0] += x[row + k];
    sums[1] += x[row + k] * x[row + k];
    sums[2] += dy[row + k] * weight[k];
  }
  for (uint j = 0u; j < 3u; j++) part[j][lane] = sums[j];
  barrier();
  vec3 all = vec3(0.0);
  for (uint j = 0u; j < 4u; j++) all += vec3(part[0][j], part[1][j], part[2][j]);
  all /= float(p.columns);
  const float scale = inversesqrt(all.y - all.x * all.x + p.eps);
  float along = 0.0;
  for (uint k = 0u; k < p.columns; k++) along += dy[row + k] * weight[k] * (x[row + k] - all.x) * scale;
  along /= float(p.columns);
  for (uint k = lane; k < p.columns; k += 4u)
    dx[row + k] = scale * (dy[row + k] * weight[k] - all.z - (x[row + k] - all.x) * scale * along);
}
