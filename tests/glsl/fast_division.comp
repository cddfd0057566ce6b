#version 450
// Division by a constant through the high half of a product, as tensor libraries do it.
//! grid 4
//! buffer 0.0 = f32[120] -1..1
//! buffer 0.1 = f32[120] 0
//! push = n: u32 120, factor: u32 2863311531, shift: u32 3
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n, factor, shift; } p;

uint divided(uint i) {
  uint high, low;
  umulExtended(i, p.factor, high, low);
  return (high >> p.shift);
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= p.n) return;
  uint row = divided(i), column = i - row * 12u;
  y[column * 10u + row] = 0.5 * x[i];
}
