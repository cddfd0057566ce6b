#version 450
// Simulation: a step of Gray and Scott's reaction with periodic edges; two substances in a vec2.
//! grid 2,2
//! buffer 0.0 = f32[512] 0..1
//! buffer 0.1 = f32[512] 0
//! push = w: i32 16, h: i32 16, feed: f32 0.055, kill: f32 0.062, dt: f32 0.9
//! grad 0.1 by 0.0
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { vec2 now[]; };
layout(binding = 1) writeonly buffer B { vec2 next[]; };
layout(push_constant) uniform P { int w, h; float feed, kill, dt; } p;
#define AT(dx, dy) now[(g.y + dy + p.h) % p.h * p.w + (g.x + dx + p.w) % p.w]

void main() {
  const ivec2 g = ivec2(gl_GlobalInvocationID.xy);
  if (g.x >= p.w || g.y >= p.h) return;
  const vec2 c = AT(0, 0);
  const vec2 laplacian = 0.2 * (AT(-1, 0) + AT(1, 0) + AT(0, -1) + AT(0, 1)) +
                         0.05 * (AT(-1, -1) + AT(1, -1) + AT(-1, 1) + AT(1, 1)) - c;
  const float reaction = c.x * c.y * c.y;
  const vec2 change = vec2(laplacian.x - reaction + p.feed * (1.0 - c.x),
                           0.5 * laplacian.y + reaction - (p.kill + p.feed) * c.y);
  next[g.y * p.w + g.x] = clamp(c + p.dt * change, 0.0, 1.0);
}
