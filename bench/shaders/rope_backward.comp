#version 450
// By hand: the cotangent is turned back.
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer G { vec2 grad_y[]; };
layout(binding = 1) writeonly buffer D { vec2 grad_x[]; };
layout(push_constant) uniform P { uint pairs; float base; } p;

void main() {
  const uint pair = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
  if (pair >= p.pairs) return;
  const float angle = float(row) * pow(p.base, -float(pair) / float(p.pairs));
  const float c = cos(angle), s = sin(angle);
  const vec2 g = grad_y[row * p.pairs + pair];
  grad_x[row * p.pairs + pair] = vec2(g.x * c + g.y * s, g.y * c - g.x * s);
}
