#version 450
// Simulation: springs of a cloth to eight neighbours, with damping, gravity and a pinned row; structs of vectors.
//! grid 1
//! buffer 0.0 = 36 * (f32[3] -1..1, pad 4, f32[3] -0.1..0.1, f32 1)
//! buffer 0.1 = 36 * (f32[3] 0, pad 4, f32[3] 0, f32 0)
//! uniform 0.2 = gravity: f32[3] {0 -9.8 0}, dt: f32 0.001, size: i32[2] 6, stiffness: f32 50, damping: f32 0.2
//! grad 0.1 by 0.0
layout(local_size_x = 8, local_size_y = 8) in;
struct Knot { vec3 at; vec3 speed; float mass; };
layout(std430, binding = 0) readonly buffer A { Knot now[]; };
layout(std430, binding = 1) writeonly buffer B { Knot next[]; };
layout(std140, binding = 2) uniform U { vec3 gravity; float dt; ivec2 size; float stiffness; float damping; } u;

vec3 spring(vec3 a, vec3 b, float rest) {
  const vec3 d = b - a;
  return normalize(d) * u.stiffness * (length(d) - rest);
}

void main() {
  const ivec2 g = ivec2(gl_GlobalInvocationID.xy);
  if (g.x >= u.size.x || g.y >= u.size.y) return;
  const int i = g.y * u.size.x + g.x;
  const Knot k = now[i];
  vec3 force = u.gravity * k.mass - u.damping * k.speed;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++) {
      const ivec2 o = g + ivec2(x, y);
      if ((x == 0 && y == 0) || o.x < 0 || o.y < 0 || o.x >= u.size.x || o.y >= u.size.y) continue;
      force += spring(k.at, now[o.y * u.size.x + o.x].at, length(vec2(x, y)) * 0.2);
    }
  const vec3 speed = g.y == 0 ? vec3(0.0) : k.speed + force / k.mass * u.dt;
  next[i].at = k.at + speed * u.dt;
  next[i].speed = speed;
  next[i].mass = k.mass;
}
