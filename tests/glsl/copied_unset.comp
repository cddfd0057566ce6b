#version 450
// What a trip copies of the one before, where the first has none: nobody uses that copy.
//! grid 2
//! buffer 0.0 = f32[50] -1..1
//! buffer 0.1 = f32[50] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= x.length()) return;
  float level = x[i], sum = 0.0, next, last;
  for (int k = 0; k < 5; k++) {
    if (k != 3) last = next;
    next = sin(level + float(k));
    if (k > 0) sum += last * level;
    level *= 0.9;
  }
  y[i] = sum;
}
