#version 450
// GLSL.std.450: rounding, signs, remainders, minima and maxima, mix, step, smoothstep.
//! grid 2
//! buffer 0.0 = f32[128] -4..4
//! buffer 0.1 = f32[1024] 0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { vec2 x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x, at = 16u * i;
  float a = x[i].x, b = x[i].y;
  y[at] = floor(a);
  y[at + 1u] = ceil(a);
  y[at + 2u] = round(a);
  y[at + 3u] = roundEven(b);
  y[at + 4u] = trunc(a);
  y[at + 5u] = fract(a);
  y[at + 6u] = sign(a) * abs(b);
  y[at + 7u] = mod(a, 1.5);
  y[at + 8u] = min(a, b) - max(a, 0.5);
  y[at + 9u] = clamp(a, -1.0, 2.0);
  y[at + 10u] = mix(a, b, 0.25);
  y[at + 11u] = step(a, b);
  y[at + 12u] = smoothstep(-2.0, 2.0, a);
  y[at + 13u] = step(0.5, b) + min(a, 1.0);
  y[at + 14u] = max(fract(b), 0.25);
  y[at + 15u] = mix(a, b, a < b);
}
