#version 450
// Training: soft max and cross entropy with labels, some of which are ignored, and a mean by float atomics.
#extension GL_EXT_shader_atomic_float : require
//! target vulkan1.1
//! grid 1
//! buffer 0.0 = f32[80] -2..2
//! buffer 0.1 = i32[8] {3 0 9 -1 5 5 1 -1}
//! buffer 0.2 = f32[1] 0
//! push = classes: i32 10, rows: i32 8
//! grad 0.2 by 0.0
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer L { int label[]; };
layout(binding = 2) buffer M { float loss; };
layout(push_constant) uniform P { int classes, rows; } p;

void main() {
  const int row = int(gl_GlobalInvocationID.x);
  if (row >= p.rows || label[row] < 0) return;
  float most = x[row * p.classes];
  for (int k = 1; k < p.classes; k++) most = max(most, x[row * p.classes + k]);
  float sum = 0.0;
  for (int k = 0; k < p.classes; k++) sum += exp(x[row * p.classes + k] - most);
  atomicAdd(loss, (most + log(sum) - x[row * p.classes + label[row]]) / float(p.rows));
}
