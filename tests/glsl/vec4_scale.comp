#version 450
// Vectors in storage: swizzles, vector times scalar, dot, a vector built of parts.
//! grid 2
//! buffer 0.0 = f32[256] -1..1
//! buffer 0.1 = f32[256] 0
//! buffer 0.2 = f32[64] 0
//! grad 0.1 by 0.0
//! grad 0.2 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer In { vec4 v[]; };
layout(binding = 1) writeonly buffer Out { vec4 w[]; };
layout(binding = 2) writeonly buffer Norm { float norm[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  vec4 a = v[i];
  vec3 b = a.zyx * 2.0;
  w[i] = vec4(b + a.www, dot(a, a));
  norm[i] = dot(b, vec3(0.5, 0.25, 1.0));
}
