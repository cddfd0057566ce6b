#version 450
// Functions that return early, from a branch and from inside of a loop.
//! grid 2
//! buffer 0.0 = f32[64] -3..3
//! buffer 0.1 = f32[64] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

float pieces(float t) {
  if (t < -1.0) return 0.1 * t;
  if (t > 1.0) return 2.0 + t * t;
  return t;
}

float reach(float t) {
  float sum = t;
  for (int k = 0; k < 8; k++) {
    sum += 0.5 * t + 0.25;
    if (sum > 4.0) return sum - 4.0;
  }
  return sum;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  y[i] = pieces(x[i]) + 3.0 * reach(x[i]);
}
