#version 450
// The plainest kernel: a guard that returns early, a push constant.
//! grid 4
//! buffer 0.0 = f32[250] -1..1
//! buffer 0.1 = f32[250] -1..1
//! push = n: u32 250, a: f32 0.75
//! grad 0.1 by 0.0 0.1
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Params { uint n; float a; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= n) return;
  y[i] = a * x[i] + y[i];
}
