#version 450
// What a host of a shader has: a struct with padding, push constants that begin with something unused, a uniform block in another
// set, and a specialization constant. tests/host.py has the formula of the gradient.
layout(local_size_x = 8) in;
layout(constant_id = 7) const float GAIN = 0.5;
struct Body { vec3 pos; vec3 vel; float mass; uint tag; };
layout(std430, set = 1, binding = 0) readonly buffer Bodies { Body bodies[]; };
layout(std430, set = 1, binding = 3) writeonly buffer Forces { vec4 force[]; };
layout(push_constant) uniform Pushed { vec2 other; uint n; float dt; vec3 g; } pushed;
layout(std140, set = 0, binding = 0) uniform Weather { vec3 wind; float drag; } weather;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= pushed.n) return;
  const Body b = bodies[i];
  const vec3 f = b.mass * pushed.g + weather.drag * (weather.wind - b.vel) * GAIN;
  force[i] = vec4(f, dot(b.pos, b.pos) * pushed.dt);
}
