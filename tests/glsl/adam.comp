#version 450
// Training: a step of Adam with weight decay, states in place.
//! grid 2
//! buffer 0.0 = f32[50] -1..1
//! buffer 0.1 = f32[50] -1..1
//! buffer 0.2 = f32[50] -0.1..0.1
//! buffer 0.3 = f32[50] 0.01..0.1
//! uniform 0.4 = alpha: f32 0.001, beta1: f32 0.9, beta2: f32 0.999, eps: f32 0.00000001, decay: f32 0.01, step: u32 3,
//!   n: u32 50, pad 4
//! grad 0.0 by 0.0 0.1 0.2 0.3
layout(local_size_x = 32) in;
layout(binding = 0) buffer X { float x[]; };
layout(binding = 1) readonly buffer G { float g[]; };
layout(binding = 2) buffer M { float m[]; };
layout(binding = 3) buffer V { float v[]; };
layout(binding = 4) uniform U { float alpha, beta1, beta2, eps, decay; uint step, n; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= n) return;
  const float gi = g[i];
  const float mi = m[i] * beta1 + gi * (1.0 - beta1), vi = v[i] * beta2 + gi * gi * (1.0 - beta2);
  m[i] = mi;
  v[i] = vi;
  const float mh = mi / (1.0 - pow(beta1, float(step))), vh = sqrt(vi / (1.0 - pow(beta2, float(step)))) + eps;
  x[i] = x[i] * (1.0 - alpha * decay) - alpha * mh / vh;
}
