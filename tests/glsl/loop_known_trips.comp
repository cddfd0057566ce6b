#version 450
// Loops from a literal to a literal, of which the counter is used behind the loop: there it is not the loop's index.
//! grid 1
//! buffer 0.0 = u32[8] 0..9
//! buffer 0.1 = i32[64] 0
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) buffer Y { int y[]; };

void main() {
  uint g = gl_GlobalInvocationID.x;
  int at = 8 * int(g), i = 6, last = 0, s = int(x[g]);
  while (i > 1) i--;
  y[at] = i;
  for (i = 5; i >= 1; i--) s = 3 * s + i;
  y[at + 1] = s + 100 * i;
  for (i = 5; i > 2; i--) last = i;
  y[at + 2] = last + 10 * i;
  for (i = 0; i < 4; i++) last = i;
  y[at + 3] = last + 10 * i;
  for (int k = 0; k < 3; k++) {
    for (i = 4; i > k; i--) s += i;
    y[at + 4 + k] = s + 1000 * i + last;
    last = k;
  }
  y[at + 7] = last;
}
