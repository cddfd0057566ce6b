#version 450
// Values chosen by branches, by the ternary operator, by && and || with effects on their right, by mix of booleans.
//! grid 2
//! buffer 0.0 = f32[128] -1..1
//! buffer 0.1 = f32[192] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { vec2 x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
int calls = 0;

bool positive(float v) { calls++; return v > 0.0; }

void main() {
  uint i = gl_GlobalInvocationID.x;
  float a = x[i].x, b = x[i].y, r;
  if (positive(a) && positive(b)) r = a * b;
  else if (positive(a) || b < -0.5) r = a - b;
  else r = b < a ? a * a : 3.0 * b;
  vec2 m = mix(vec2(a, b), vec2(b, 2.0 * a), lessThan(x[i], vec2(0.0)));
  bool all_small = all(lessThan(abs(x[i]), vec2(0.5))), differ = any(notEqual(sign(x[i]), vec2(1.0)));
  y[3u * i] = r;
  y[3u * i + 1u] = m.x + m.y * (all_small ? 2.0 : 1.0) + (differ ^^ all_small ? 0.5 : 0.0);
  y[3u * i + 2u] = float(calls);
}
