#version 450
// Arrays of descriptors, with indices that are constants. Each descriptor is a buffer behind the last binding.
//! grid 2
//! buffer 0.0.0 = u32 0, f32[60] -1..1
//! buffer 0.0.1 = u32 58, f32[60] -1..1
//! buffer 0.0.2 = u32 0, f32[59] 0
//! uniform 0.1.0 = by: f32 0.5, pad 12, f32[8] 0
//! uniform 0.1.1 = f32 0, pad 12, f32[8] -1..1
//! buffer 0.2 = f32[64] 0
//! grad 0.2 0.0.2 by 0.0.0 0.0.1 0.1.1
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Rows { uint count; float v[]; } rows[3];
layout(set = 0, binding = 1) uniform Scale { float by; vec4 turn[2]; } scale[2];
layout(set = 0, binding = 2) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= rows[1].count || i >= uint(rows[2].v.length())) return;
  rows[2].v[i] = rows[0].v[i] * scale[0].by + rows[1].v[i] * scale[1].turn[i & 1u].y;
  y[i] = rows[0].v[i] * rows[1].v[i];
}
