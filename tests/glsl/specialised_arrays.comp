#version 450
// Rows of a matrix times a vector, several at a time. How many is a specialization constant, and so is the length of the arrays that
// functions take by value; shared memory is as long as the workgroup is wide, divided and shifted.
//! grid 2
//! const 0 = u32 16
//! const 1 = u32 3
//! const 2 = u32 2
//! buffer 0.0 = f32[192] -1..1
//! buffer 0.1 = f32[64] -1..1
//! buffer 0.2 = f32[12] 0
//! grad 0.2 by 0.0
//! grad 0.2 by 0.1
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ROWS = 1;
layout(constant_id = 2) const uint SUMS = 1;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(constant_id = 3) const uint PER_LANE = 0;
const uint HALF = gl_WorkGroupSize.x / 2u;
const uint LONGER = ROWS > SUMS ? ROWS : SUMS;
const uint WANTED = PER_LANE == 0u ? LONGER + 1u : gl_WorkGroupSize.x / PER_LANE;
shared float part[SUMS][ROWS][HALF << 1u];
shared float scales[WANTED];

void finish(const in float sums[SUMS][ROWS], float scale) {
  uint lane = gl_LocalInvocationID.x;
  for (uint s = 0u; s < SUMS; s++)
    for (uint r = 0u; r < ROWS; r++) part[s][r][lane] = sums[s][r] * scale;
  barrier();
  if (lane < SUMS * ROWS) {
    float all = 0.0;
    for (uint k = 0u; k < gl_WorkGroupSize.x; k++) all += part[lane / ROWS][lane % ROWS][k];
    y[gl_WorkGroupID.x * SUMS * ROWS + lane] = all;
  }
}

void main() {
  float sums[SUMS][ROWS];
  uint lane = gl_LocalInvocationID.x;
  for (uint s = 0u; s < SUMS; s++)
    for (uint r = 0u; r < ROWS; r++) {
      sums[s][r] = 0.0;
      for (uint k = lane; k < 32u; k += gl_WorkGroupSize.x)
        sums[s][r] += a[(gl_WorkGroupID.x * ROWS + r) * 32u + k] * x[s * 32u + k];
    }
  if (lane < WANTED) scales[lane] = 0.25 * float(lane + 1u);
  barrier();
  finish(sums, scales[WANTED - 1u]);
}
