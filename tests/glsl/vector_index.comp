#version 450
// A component of a vector by a dynamic index, loaded and stored, in memory and in a local; swizzle stores.
//! grid 2
//! buffer 0.0 = f32[256] -1..1
//! buffer 0.1 = f32[256] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) buffer Y { vec4 y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  vec4 v = x[i];
  float picked = v[i % 4u];
  v[(i + 1u) % 4u] = 2.0 * picked;
  v.zx = v.xz + vec2(1.0, x[i][(i + 2u) % 4u]);
  y[i] = v;
  y[i].yw = v.wy * 0.5;
  y[i][i % 3u] += 0.25 * v.x;
}
