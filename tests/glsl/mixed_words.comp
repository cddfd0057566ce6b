#version 450
// Words of which some are numbers stay words, and so do those that are only moved.
//! grid 1
//! buffer 0.0 = 16 * (f32 -1..1, u32 0..7)
//! buffer 0.1 = 16 * (f32 0, u32 0)
//! buffer 0.2 = f32[32] -1..1
//! buffer 0.3 = f32[32] 0
//! refused 0.1 by 0.0 grad-not-float
//! refused 0.3 by 0.2 grad-not-float
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer B { uint b[]; };
layout(std430, binding = 2) readonly buffer C { uint c[]; };
layout(std430, binding = 3) writeonly buffer D { uint d[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  b[2 * i] = floatBitsToUint(2.0 * uintBitsToFloat(a[2 * i]));
  b[2 * i + 1] = a[2 * i + 1] + 1u;
  d[2 * i] = c[2 * i + 1];
  d[2 * i + 1] = c[2 * i];
}
