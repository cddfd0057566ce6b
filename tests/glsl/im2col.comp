#version 450
// Inference: im2col with padding, strides and dilation.
//! grid 3
//! buffer 0.0 = f32[98] -1..1
//! buffer 0.1 = f32[162] 0
//! push = iw: i32 7, ih: i32 7, ow: i32 3, oh: i32 3, kw: i32 3, kh: i32 3, channels: i32 2, s0: i32 2, p0: i32 1, d0: i32 2
//! grad 0.1 by 0.0
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer D { float d[]; };
layout(push_constant) uniform P { int iw, ih, ow, oh, kw, kh, channels, s0, p0, d0; } p;

void main() {
  const int i = int(gl_GlobalInvocationID.x), taps = p.kw * p.kh * p.channels;
  if (i >= taps * p.ow * p.oh) return;
  const int column = i % taps, pixel = i / taps;
  const int c = column / (p.kw * p.kh), ky = column / p.kw % p.kh, kx = column % p.kw;
  const int at_x = pixel % p.ow * p.s0 + kx * p.d0 - p.p0, at_y = pixel / p.ow * p.s0 + ky * p.d0 - p.p0;
  float v = 0.0;
  if (at_x >= 0 && at_x < p.iw && at_y >= 0 && at_y < p.ih) v = x[(c * p.ih + at_y) * p.iw + at_x];
  d[i] = v;
}
