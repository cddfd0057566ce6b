#version 450
// Sums up a tree and down again, with decay, in shared memory.
//! grid 2
//! buffer 0.0 = f32[128] -1..1
//! buffer 0.1 = f32[128] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
shared float temp[64];
void main() {
  int thid = int(gl_LocalInvocationID.x), base = int(gl_WorkGroupID.x) * 64, offset = 1;
  temp[2 * thid] = x[base + 2 * thid];
  temp[2 * thid + 1] = x[base + 2 * thid + 1];
  for (int d = 32; d > 0; d >>= 1) {
    barrier();
    if (thid < d) { int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1; temp[bi] += temp[ai] * 0.9; }
    offset *= 2;
  }
  if (thid == 0) temp[63] = 0.0;
  for (int d = 1; d < 64; d *= 2) {
    offset >>= 1;
    barrier();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
      float t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  barrier();
  y[base + 2 * thid] = temp[2 * thid];
  y[base + 2 * thid + 1] = temp[2 * thid + 1] * temp[2 * thid];
}
