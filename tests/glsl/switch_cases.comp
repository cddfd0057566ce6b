#version 450
// A real switch: fall-through, several labels for one case, a default in the middle, break and return inside.
//! grid 2
//! buffer 0.0 = u32[64] 0..9
//! buffer 0.1 = f32[64] -1..1
//! buffer 0.2 = f32[64] 0
//! grad 0.2 by 0.1
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer K { uint kind[]; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };

float chosen(uint k, float v) {
  float r = 0.0;
  switch (k) {
    case 0u: r = v; break;
    case 1u: r = 2.0 * v;  // falls through
    case 2u: r += 1.0; break;
    case 3u:
    case 4u:
      if (v < 0.0) break;
      r = v * v;
      break;
    default: r = -1.0; break;
    case 7u: return 7.0 * v;
    case 8u: r = 8.0;
  }
  return r + 0.5 * v;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  y[i] = chosen(kind[i], x[i]);
}
