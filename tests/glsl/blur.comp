#version 450
// Imaging: a separable Gaussian blur along rows with weights from a uniform block, RGBA, edges clamped, a tile in shared memory.
//! grid 2,4
//! buffer 0.0 = f32[512] 0..1
//! buffer 0.1 = f32[512] 0
//! uniform 0.2 = w: i32 32, h: i32 4, pad 8, weight: f32[4] {0.3 0.2 0.1 0.05}
//! grad 0.1 by 0.0
layout(local_size_x = 16) in;
const int R = 3;
layout(binding = 0) readonly buffer A { vec4 source[]; };
layout(binding = 1) writeonly buffer B { vec4 target[]; };
layout(std140, binding = 2) uniform U { int w, h; vec4 weight; } u;
shared vec4 tile[16 + 2 * R];

void main() {
  const int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y), lane = int(gl_LocalInvocationID.x);
  const int start = int(gl_WorkGroupID.x) * 16 - R;
  for (int k = lane; k < 16 + 2 * R; k += 16) tile[k] = source[y * u.w + clamp(start + k, 0, u.w - 1)];
  barrier();
  vec4 sum = tile[lane + R] * u.weight[0];
  for (int k = 1; k <= R; k++) sum += (tile[lane + R - k] + tile[lane + R + k]) * u.weight[k];
  target[y * u.w + x] = sum;
}
