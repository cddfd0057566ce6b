#version 450
// GLSL.std.450: exponentials, logarithms, powers and roots, on scalars and vectors.
//! grid 2
//! buffer 0.0 = f32[256] 0.25..3
//! buffer 0.1 = f32[512] 0
// Vulkan allows exp2 and log2 about 3 ULP each, and the exponent multiplies those of the logarithm: 16 ULP for pow here.
//! near 0.1 2e-6
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) writeonly buffer Y { vec4 y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  vec4 v = x[i];
  y[2u * i] = vec4(exp(v.x), exp2(v.y), log(v.z), log2(v.w));
  y[2u * i + 1u] = sqrt(v) + inversesqrt(v.wzyx) - pow(v, vec4(1.5, 2.0, -0.5, v.x));
}
