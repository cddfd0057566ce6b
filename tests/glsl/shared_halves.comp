#version 450
// Matrices and vectors of halves in memory and in shared memory.
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
//! target vulkan1.2
//! grid 2
//! buffer 0.0 = f16[256] -1..1
//! buffer 0.1 = f16[128] -1..1
//! buffer 0.2 = f32[128] 0
//! grad 0.2 by 0.0
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { f16mat4 a[]; };
layout(binding = 1) readonly buffer B { f16vec4 b[]; };
layout(binding = 2) writeonly buffer C { vec4 c[]; };
shared f16mat4 tile[8];
shared f16vec4 vs[8][4];
void main() {
  uint t = gl_LocalInvocationID.x, r = gl_LocalInvocationID.y;
  if (r == 0u) tile[t] = a[(gl_WorkGroupID.x * 8u + t) % 16u];
  if (r < 4u) vs[t][r] = b[t * 4u + r] * float16_t(0.5);
  barrier();
  if (r >= 2u) return;
  f16vec4 s = f16vec4(0.0hf);
  for (uint k = 0u; k < 4u; k++) s += tile[(t + k) % 8u] * vs[t][k] + f16vec4(tile[k][3][k]);
  c[gl_WorkGroupID.x * 16u + t * 2u + r] = vec4(s) * (r == 0u ? 1.0 : 2.0);
}
