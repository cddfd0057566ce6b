;;; TOOL: kgrad show shader.comp --const LOGN=6 --const 4=48
;;; FILE: shader.comp
#version 450
layout(local_size_x = 32) in;
layout(constant_id = 3) const uint LOGN = 5;
layout(constant_id = 4) const int MASK = 7;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
shared float s[1u << LOGN];
shared float t[((MASK ^ 3) | 1) & ~(1 << LOGN)];
void main() {
  s[gl_LocalInvocationID.x] = x[gl_GlobalInvocationID.x];
  t[gl_LocalInvocationID.x] = 2.0 * x[gl_GlobalInvocationID.x];
  barrier();
  y[gl_GlobalInvocationID.x] = s[31u - gl_LocalInvocationID.x] + t[31u - gl_LocalInvocationID.x];
}
;;; STDOUT:
program shader {
  workgroup 32
  grid      groups_x
  param     groups_x : u32
  buffer    x : f32[] read
  buffer    y : f32[] write
  shared    s : f32[64]
  shared    t : f32[51]

  let x1 = x[global_id.x]
  s[local_id.x] = x1
  t[local_id.x] = 2.0 * x1
  barrier
  let t1 = 31 - local_id.x
  y[global_id.x] = s[t1] + t[t1]
}
