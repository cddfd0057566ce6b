#version 450
// Choices become variables without a name where nothing is optimised, some of them local arrays; two of them are alive at once.
//! grid 2
//! push = flip: u32 1, limit: f32 0.25
//! buffer 0.0 = f32[64] -1..1
//! buffer 0.1 = f32[64] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint flip; float limit; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  float v = x[i];
  vec2 both = flip != 0u ? vec2(v * v, sin(v)) : vec2(v, 1.0);
  float kept = v > limit ? both.x * both.y : (v < -limit ? both.y / (2.0 + both.x) : both.x);
  y[i] = kept * (flip == 2u ? v : 3.0);
}
