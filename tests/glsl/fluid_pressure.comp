#version 450
// Simulation: twelve Jacobi steps for the pressure of a tile, within shared memory, then the gradient taken from the velocity.
//! grid 1
//! buffer 0.0 = f32[128] -1..1
//! buffer 0.1 = f32[128] 0
//! grad 0.1 by 0.0
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer U { vec2 velocity[8][8]; };
layout(binding = 1) writeonly buffer W { vec2 free[8][8]; };
shared float pressure[2][10][10];
shared vec2 speed[10][10];

void main() {
  const ivec2 t = ivec2(gl_LocalInvocationID.xy), c = t + 1;
  for (int k = t.y * 8 + t.x; k < 100; k += 64) {
    speed[k / 10][k % 10] = vec2(0.0);
    pressure[0][k / 10][k % 10] = pressure[1][k / 10][k % 10] = 0.0;
  }
  barrier();
  speed[c.y][c.x] = velocity[t.y][t.x];
  barrier();
  const float divergence = 0.5 * (speed[c.y][c.x + 1].x - speed[c.y][c.x - 1].x + speed[c.y + 1][c.x].y - speed[c.y - 1][c.x].y);
  int now = 0;
  for (int k = 0; k < 12; k++) {
    const float around = pressure[now][c.y][c.x - 1] + pressure[now][c.y][c.x + 1] +
                         pressure[now][c.y - 1][c.x] + pressure[now][c.y + 1][c.x];
    pressure[1 - now][c.y][c.x] = 0.25 * (around - divergence);
    now = 1 - now;
    barrier();
  }
  free[t.y][t.x] = speed[c.y][c.x] - 0.5 * vec2(pressure[now][c.y][c.x + 1] - pressure[now][c.y][c.x - 1],
                                                pressure[now][c.y + 1][c.x] - pressure[now][c.y - 1][c.x]);
}
