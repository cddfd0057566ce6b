#version 450
// Simulation: a lattice Boltzmann step in nine directions: stream, collide, bounce back at walls.
//! grid 1,1
//! buffer 0.0 = f32[576] 0.05..0.15
//! buffer 0.1 = u32[64] {0 0 0 0 0 0 1 0 0 0 0}
//! buffer 0.2 = f32[576] 0
//! push = w: i32 8, h: i32 8, omega: f32 1.2
//! grad 0.2 by 0.0
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer F { float f[]; };
layout(binding = 1) readonly buffer W { uint wall[]; };
layout(binding = 2) writeonly buffer G { float g[]; };
layout(push_constant) uniform P { int w, h; float omega; } p;
const ivec2 way[9] = ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(0, 1), ivec2(-1, 0), ivec2(0, -1), ivec2(1, 1), ivec2(-1, 1),
                             ivec2(-1, -1), ivec2(1, -1));
const float share[9] = float[](4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0,
                               1.0 / 36.0);
const int opposite[9] = int[](0, 3, 4, 1, 2, 7, 8, 5, 6);

void main() {
  const ivec2 c = ivec2(gl_GlobalInvocationID.xy);
  if (c.x >= p.w || c.y >= p.h) return;
  const int cells = p.w * p.h, here = c.y * p.w + c.x;
  float now[9], density = 0.0;
  vec2 flow = vec2(0.0);
  for (int k = 0; k < 9; k++) {
    const ivec2 from = (c - way[k] + ivec2(p.w, p.h)) % ivec2(p.w, p.h);
    const int there = from.y * p.w + from.x;
    now[k] = wall[there] != 0u ? f[opposite[k] * cells + here] : f[k * cells + there];
    density += now[k];
    flow += now[k] * vec2(way[k]);
  }
  flow /= density;
  for (int k = 0; k < 9; k++) {
    const float along = dot(vec2(way[k]), flow);
    const float rest = share[k] * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * dot(flow, flow));
    g[k * cells + here] = now[k] + p.omega * (rest - now[k]);
  }
}
