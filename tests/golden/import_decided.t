;;; TOOL: kgrad show decided.comp --const 0=8
;;; FILE: decided.comp
#version 450
#extension GL_KHR_shader_subgroup_clustered : require
layout(constant_id = 0) const uint lanes = 64;
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
void main() {
  float v = x[gl_GlobalInvocationID.x];
  if (lanes == 8u) v = 2.0 * v;
  else v = subgroupClusteredAdd(v, 64u);
  y[gl_GlobalInvocationID.x] = v;
}
;;; STDOUT:
program decided {
  workgroup 32
  grid      groups_x
  param     groups_x : u32
  buffer    x : f32[] read
  buffer    y : f32[] write

  y[global_id.x] = 2.0 * x[global_id.x]
}
