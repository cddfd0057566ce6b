#version 450
// A counted loop over the columns of a row, from a param.
//! grid 1
//! buffer 0.0 = f32[480] -1..1
//! buffer 0.1 = f32[16] 0
//! push = rows: u32 16, cols: u32 30
//! grad 0.1 by 0.0
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer S { float sums[]; };
layout(push_constant) uniform P { uint rows; uint cols; } p;

void main() {
  uint row = gl_GlobalInvocationID.x;
  if (row < p.rows) {
    float sum = 0.0;
    for (uint j = 0; j < p.cols; j++) sum += x[row * p.cols + j] * x[row * p.cols + j];
    sums[row] = sum;
  }
}
