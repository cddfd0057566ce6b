#version 450
#extension GL_EXT_control_flow_attributes : require
// Inference: group norm, mean and variance of a group by two trees in shared memory.
//! grid 4
//! buffer 0.0 = f32[200] -2..2
//! buffer 0.1 = f32[200] 0
//! push = ne: u32 200, group: u32 50, eps: f32 0.001
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint ne; uint group; float eps; } p;
shared float part[32];

float total(float v) {
  const uint lane = gl_LocalInvocationID.x;
  barrier();
  part[lane] = v;
  barrier();
  [[unroll]] for (int s = 16; s > 0; s >>= 1) {
    if (lane < s) part[lane] += part[lane + s];
    barrier();
  }
  return part[0];
}

void main() {
  const uint start = gl_WorkGroupID.x * p.group + gl_LocalInvocationID.x;
  const uint end = min((gl_WorkGroupID.x + 1u) * p.group, p.ne);
  float sum = 0.0;
  for (uint k = start; k < end; k += 32u) sum += x[k];
  const float mean = total(sum) / float(p.group);
  float square = 0.0;
  for (uint k = start; k < end; k += 32u) {
    const float c = x[k] - mean;
    y[k] = c;
    square += c * c;
  }
  const float scale = inversesqrt(total(square) / float(p.group) + p.eps);
  for (uint k = start; k < end; k += 32u) y[k] = (x[k] - mean) * scale;
}
