#version 450
// Shifts by amounts of another width, and lengths made of the workgroup's size.
#extension GL_EXT_shader_explicit_arithmetic_types : require
//! target vulkan1.1
//! grid 2
//! const 0 = u32 16
//! const 3 = u32 2
//! buffer 0.0 = u32[64] 0..4294967295
//! buffer 0.1 = u64[96] 0
//! buffer 0.2 = f32[32] -1..1
//! buffer 0.3 = f32[32] 0
//! grad 0.3 by 0.2
layout(local_size_x_id = 0) in;
layout(constant_id = 3) const uint many = 1;
layout(binding = 0) readonly buffer X { uvec2 x[]; };
layout(binding = 1) writeonly buffer L { uint64_t l[]; };
layout(binding = 2) readonly buffer F { float f[]; };
layout(binding = 3) writeonly buffer G { float g[]; };
const uvec2 size = uvec2(gl_WorkGroupSize.x, many);
shared float rows[size.y * size.x];
shared float turned[int(gl_WorkGroupSize.x)];

void main() {
  uint i = gl_GlobalInvocationID.x, t = gl_LocalInvocationID.x;
  uint64_t a = uint64_t(x[i].x) << 32u | uint64_t(x[i].y);
  l[3u * i] = a >> (x[i].x & 63u);
  l[3u * i + 1u] = uint64_t(int64_t(a) >> (x[i].y & 63u)) ^ a << (x[i].y >> 26);
  l[3u * i + 2u] = uint64_t(int(x[i].x) >> int64_t(x[i].y & 31u));
  for (uint k = 0u; k < many; k++) rows[k * gl_WorkGroupSize.x + t] = f[i] * float(k + 1u);
  turned[t] = f[i] * f[i];
  barrier();
  uint other = gl_WorkGroupSize.x - 1u - t;
  g[i] = rows[(many - 1u) * gl_WorkGroupSize.x + other] + turned[other];
}
