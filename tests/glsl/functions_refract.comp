#version 450
// GLSL.std.450: refract, also where light does not pass, and faceforward.
//! grid 1
//! buffer 0.0 = 32 * (f32[3] 0.2..1, pad 4, f32[3] -1..1, pad 4)
//! buffer 0.1 = f32[192] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { vec3 x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x, at = 6u * i;
  vec3 a = x[2u * i], b = x[2u * i + 1u];
  vec3 r = refract(normalize(a), normalize(b), 1.3), f = faceforward(a, b, vec3(0.0, 1.0, 0.0));
  for (uint k = 0u; k < 3u; k++) {
    y[at + k] = r[k];
    y[at + 3u + k] = f[k];
  }
}
