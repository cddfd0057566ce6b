#version 450
// Training: the largest of each window, and where it was.
//! grid 1
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[16] 0
//! buffer 0.2 = u32[16] 0
//! grad 0.1 by 0.0
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0) readonly buffer X { float x[8][8]; };
layout(binding = 1) writeonly buffer Y { float y[4][4]; };
layout(binding = 2) writeonly buffer I { uint chosen[4][4]; };

void main() {
  const uvec2 g = gl_GlobalInvocationID.xy;
  float most = -1.0 / 0.0;
  uint where = 0u;
  for (uint k = 0u; k < 4u; k++) {
    const float v = x[2u * g.y + k / 2u][2u * g.x + k % 2u];
    if (v > most) {
      most = v;
      where = k;
    }
  }
  y[g.y][g.x] = most;
  chosen[g.y][g.x] = where;
}
