#version 450
// Imaging: a bilateral filter of a grey picture; weights depend on distance and on the difference of values.
//! grid 2,2
//! buffer 0.0 = f32[256] 0..1
//! buffer 0.1 = f32[256] 0
//! push = w: i32 16, h: i32 16, radius: i32 2, space: f32 0.3, range: f32 4
//! grad 0.1 by 0.0
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { float source[]; };
layout(binding = 1) writeonly buffer B { float target[]; };
layout(push_constant) uniform P { int w, h, radius; float space, range; } p;

void main() {
  const ivec2 g = ivec2(gl_GlobalInvocationID.xy);
  if (g.x >= p.w || g.y >= p.h) return;
  const float centre = source[g.y * p.w + g.x];
  float sum = 0.0, total = 0.0;
  for (int v = -p.radius; v <= p.radius; ++v) {
    const int y = g.y + v;
    if (y < 0 || y >= p.h) continue;
    for (int u = -p.radius; u <= p.radius; ++u) {
      const int x = g.x + u;
      if (x < 0 || x >= p.w) continue;
      const float value = source[y * p.w + x], d = value - centre;
      const float weight = exp(-p.space * float(u * u + v * v) - p.range * d * d);
      sum += weight * value;
      total += weight;
    }
  }
  target[g.y * p.w + g.x] = sum / total;
}
