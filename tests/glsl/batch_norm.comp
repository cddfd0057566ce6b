#version 450
// Training: batch norm, a workgroup for each channel, with running means in a struct.
//! grid 3
//! buffer 0.0 = f32[120] -2..2
//! buffer 0.1 = 3 * (f32 0.5..1.5, f32 -0.5..0.5, f32 -1..1, f32 0.5..2)
//! buffer 0.2 = f32[120] 0
//! push = batch: u32 5, pixels: u32 8, momentum: f32 0.1
//! grad 0.2 by 0.0 0.1
layout(local_size_x = 16) in;
struct Channel { float gamma, beta, mean, variance; };
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer C { Channel channel[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint batch, pixels; float momentum; } p;
shared vec2 part[16];

uint place(uint c, uint k) { return (k / p.pixels * gl_NumWorkGroups.x + c) * p.pixels + k % p.pixels; }

void main() {
  const uint c = gl_WorkGroupID.x, lane = gl_LocalInvocationID.x, count = p.batch * p.pixels;
  vec2 sums = vec2(0.0);
  for (uint k = lane; k < count; k += 16u) {
    const float v = x[place(c, k)];
    sums += vec2(v, v * v);
  }
  part[lane] = sums;
  barrier();
  for (uint s = 8u; s != 0u; s >>= 1) {
    if (lane < s) part[lane] += part[lane + s];
    barrier();
  }
  const vec2 means = part[0] / float(count);
  const float variance = means.y - means.x * means.x, scale = inversesqrt(variance + 1e-3);
  const float gamma = channel[c].gamma, beta = channel[c].beta;
  for (uint k = lane; k < count; k += 16u) y[place(c, k)] = gamma * (x[place(c, k)] - means.x) * scale + beta;
  if (lane == 0u) {
    channel[c].mean = mix(channel[c].mean, means.x, p.momentum);
    channel[c].variance = mix(channel[c].variance, variance, p.momentum);
  }
}
