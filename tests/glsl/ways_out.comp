#version 450
// Ways out: of two loops at once, of a switch whose cases run on, of the program, with an out parameter.
//! grid 1
//! buffer 0.0 = f32[256] -1..1
//! buffer 0.1 = f32[64] 0
//! buffer 0.2 = u32[32] 0..6
//! push = n: u32 8
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) readonly buffer K { uint kind[]; };
layout(push_constant) uniform P { uint n; } p;
float find(uint base, float limit, out uint steps) {
  float s = 0.0;
  steps = 0u;
  for (uint j = 0u; j < p.n; j++) {
    for (uint k = j; k < p.n; k++) {
      float v = x[base + k];
      if (v < -0.9) continue;
      s += v * x[base + j];
      steps++;
      if (s > limit) return s * 2.0;
      if (steps > 20u) break;
    }
    if (s < -limit) return s;
  }
  return s + 1.0;
}
void main() {
  uint i = gl_GlobalInvocationID.x, steps;
  float f = find(8u * i, 0.8, steps), g = 1.0;
  switch (kind[i]) {
    case 0u: g = f;
    case 1u: g *= f; break;
    case 2u: { for (uint k = 0u; k < 3u; k++) { if (x[8u * i + k] > 0.5) break; g += x[8u * i + k] * f; } }
    case 3u: g = sin(g); 
    default: g += 0.5 * f; break;
    case 5u: y[2u * i] = f; return;
  }
  y[2u * i] = g;
  y[2u * i + 1u] = f * float(steps);
}
