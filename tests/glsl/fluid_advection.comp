#version 450
// Simulation: smoke carried along by a velocity field, with bilinear samples where it came from.
//! grid 2,2
//! buffer 0.0 = f32[512] -1.5..1.5
//! buffer 0.1 = f32[256] 0..1
//! buffer 0.2 = f32[256] 0
//! push = size: i32[2] 16, dt: f32 0.7, dissipation: f32 0.01
//! grad 0.2 by 0.0 0.1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer U { vec2 velocity[]; };
layout(binding = 1) readonly buffer S { float smoke[]; };
layout(binding = 2) writeonly buffer N { float next[]; };
layout(push_constant) uniform P { ivec2 size; float dt; float dissipation; } p;

float at(ivec2 c) {
  c = clamp(c, ivec2(0), p.size - 1);
  return smoke[c.y * p.size.x + c.x];
}
float sampled(vec2 v) {
  const vec2 f = fract(v);
  const ivec2 c = ivec2(floor(v));
  return mix(mix(at(c), at(c + ivec2(1, 0)), f.x), mix(at(c + ivec2(0, 1)), at(c + ivec2(1, 1)), f.x), f.y);
}

void main() {
  const ivec2 g = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(g, p.size))) return;
  const int i = g.y * p.size.x + g.x;
  next[i] = sampled(vec2(g) - p.dt * velocity[i]) / (1.0 + p.dissipation * p.dt);
}
