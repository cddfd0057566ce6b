#version 450
// Rotary positions: each pair of a row is turned by an angle that depends on the row and on the pair.
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { vec2 x[]; };
layout(binding = 1) writeonly buffer Y { vec2 y[]; };
layout(push_constant) uniform P { uint pairs; float base; } p;

void main() {
  const uint pair = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
  if (pair >= p.pairs) return;
  const float angle = float(row) * pow(p.base, -float(pair) / float(p.pairs));
  const float c = cos(angle), s = sin(angle);
  const vec2 v = x[row * p.pairs + pair];
  y[row * p.pairs + pair] = vec2(v.x * c - v.y * s, v.x * s + v.y * c);
}
