#version 450
// Heat in a plane of float[], whose edge stays, on a grid that is one row of workgroups short.
//! grid 2,2
//! buffer 0.0 = f32[117] 0..1
//! buffer 0.1 = f32[117] 0
//! push = w: u32 13, h: u32 9, k: f32 0.1
//! grad 0.1 by 0.0
layout(local_size_x = 8, local_size_y = 4) in;
layout(std430, set = 0, binding = 0) readonly buffer U { float u[]; };
layout(std430, set = 0, binding = 1) writeonly buffer V { float v[]; };
layout(push_constant) uniform P { uint w; uint h; float k; };
void main() {
  uint x = gl_GlobalInvocationID.x;
  uint y = gl_GlobalInvocationID.y;
  if (x >= w || y >= h) return;
  uint id = y * w + x;
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) { v[id] = u[id]; return; }
  float c = u[id];
  v[id] = c + k * (u[id - 1] + u[id + 1] + u[id - w] + u[id + w] - 4.0 * c);
}
