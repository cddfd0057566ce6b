#version 450
// Training: structural similarity of two pictures, with a tile and a Gaussian in two passes.
//! grid 2,2
//! buffer 0.0 = f32[256] 0..1
//! buffer 0.1 = f32[256] 0..1
//! buffer 0.2 = f32[256] 0
//! push = w: i32 16, h: i32 16
//! grad 0.2 by 0.0
layout(local_size_x = 8, local_size_y = 8) in;
const int R = 2, T = 12;
const float G[5] = float[](0.0625, 0.25, 0.375, 0.25, 0.0625);
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer S { float s[]; };
layout(push_constant) uniform P { int w, h; } p;
shared vec2 tile[T][T];
shared float rows[T][8][5];

vec2 pixel(int x, int y) {
  if (x < 0 || y < 0 || x >= p.w || y >= p.h) return vec2(0.0);
  return vec2(a[y * p.w + x], b[y * p.w + x]);
}

void main() {
  const ivec2 t = ivec2(gl_LocalInvocationID.xy), start = ivec2(gl_WorkGroupID.xy) * 8 - R;
  for (int k = t.y * 8 + t.x; k < T * T; k += 64) tile[k / T][k % T] = pixel(start.x + k % T, start.y + k / T);
  barrier();
  for (int y = t.y; y < T; y += 8) {
    float m[5] = float[](0.0, 0.0, 0.0, 0.0, 0.0);
    for (int k = 0; k < 5; k++) {
      const vec2 v = tile[y][t.x + k];
      m[0] += G[k] * v.x;
      m[1] += G[k] * v.y;
      m[2] += G[k] * v.x * v.x;
      m[3] += G[k] * v.y * v.y;
      m[4] += G[k] * v.x * v.y;
    }
    for (int j = 0; j < 5; j++) rows[y][t.x][j] = m[j];
  }
  barrier();
  float m[5];
  for (int j = 0; j < 5; j++) {
    m[j] = 0.0;
    for (int k = 0; k < 5; k++) m[j] += G[k] * rows[t.y + k][t.x][j];
  }
  const float c1 = 0.0001, c2 = 0.0009;
  const float va = m[2] - m[0] * m[0], vb = m[3] - m[1] * m[1], cov = m[4] - m[0] * m[1];
  const float value = (2.0 * m[0] * m[1] + c1) * (2.0 * cov + c2) / ((m[0] * m[0] + m[1] * m[1] + c1) * (va + vb + c2));
  s[gl_GlobalInvocationID.y * uint(p.w) + gl_GlobalInvocationID.x] = value;
}
