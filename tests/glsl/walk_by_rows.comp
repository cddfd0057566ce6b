#version 450
// Indices that each trip moves in several steps, or hands on from what it looked at: they are sums of the trip's number, and nothing is kept.
//! grid 2
//! push = n: u32 5, t: u32 3, back: i32 -2
//! buffer 0.0 = f32[256] -1..1
//! buffer 0.1 = f32[64] 0
//! grad 0.1 by 0.0
//! no_tape 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer W { float w[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n, t; int back; } p;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  float s = 0.0;
  uint v = i, u = 2u;
  int k = 250 - int(i);
  for (uint q = 0u; q < p.n; q++) {
    s += w[v] * w[v];
    v += p.t;
    s += w[v] * w[v + 1u];
    v += 4u;
    const uint ahead = u + p.t;
    s += sin(w[ahead]);
    u = ahead;
    k += p.back;
    s += w[k] * w[k];
    k += -1;
    s += w[k];
  }
  y[i] = s + w[v] * w[u];
}
