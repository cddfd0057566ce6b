#version 450
// Inference: a convolution in two dimensions with bias and relu, four output channels at a time as a vec4.
//! grid 1,1,2
//! buffer 0.0 = f32[108] -1..1
//! buffer 0.1 = f32[216] -0.5..0.5
//! buffer 0.2 = f32[8] -0.2..0.2
//! buffer 0.3 = f32[128] 0
//! push = w: i32 6, h: i32 6, channels: i32 3, outw: i32 4, outh: i32 4
//! grad 0.3 by 0.0 0.1 0.2
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer W { vec4 weight[]; };
layout(binding = 2) readonly buffer B { vec4 bias[]; };
layout(binding = 3) writeonly buffer Y { vec4 y[]; };
layout(push_constant) uniform P { int w, h, channels, outw, outh; } p;

void main() {
  const ivec3 g = ivec3(gl_GlobalInvocationID);
  if (any(greaterThanEqual(g.xy, ivec2(p.outw, p.outh)))) return;
  vec4 sum = bias[g.z];
  int k = g.z * p.channels * 9;
  for (int c = 0; c < p.channels; c++) {
    int row = (c * p.h + g.y) * p.w + g.x;
    for (int v = 0; v < 3; v++) {
      for (int u = 0; u < 3; u++) {
        sum += x[row + u] * weight[k];
        k++;
      }
      row += p.w;
    }
  }
  y[(g.z * p.outh + g.y) * p.outw + g.x] = max(sum, vec4(0.0));
}
