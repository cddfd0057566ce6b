#version 450
// Tables of constants with dynamic indices: floats, vectors, structs, arrays of arrays.
//! grid 2
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
struct Tap { int shift; float weight; };
const float kernel[5] = float[](1.0, 4.0, 6.0, 4.0, 1.0);
const vec2 corner[4] = vec2[](vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(0.0, 1.0), vec2(1.0, 1.0));
const Tap taps[3] = Tap[](Tap(-7, 0.25), Tap(0, 0.5), Tap(11, 0.25));
const int grid[2][3] = int[][](int[](1, 2, 3), int[](5, 8, 13));

void main() {
  uint i = gl_GlobalInvocationID.x;
  float r = 0.0;
  for (int k = 0; k < 5; k++) r += kernel[k] * x[(i + uint(k)) & 63u];
  for (int k = 0; k < 3; k++) r += taps[k].weight * x[uint(int(i) + taps[k].shift) & 63u];
  r += dot(corner[i & 3u], vec2(x[i], 1.0)) * float(grid[i & 1u][i % 3u]);
  y[i] = r;
}
