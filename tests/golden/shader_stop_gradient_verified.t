;;; TOOL: kgrad verify shader.comp --of y --wrt x --grid 1
;;; FILE: shader.comp
#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
uint kgrad_stop_gradient(uint bits) { return bits; }
vec2 kgrad_stop_gradient(vec2 v) { return v; }
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint h = kgrad_stop_gradient(floatBitsToUint(x[i]));
  h = (h ^ (h >> 16)) * 747796405u;
  vec2 v = kgrad_stop_gradient(vec2(x[i], 2.0 * x[i]));
  y[i] = x[i] * (float(h) / 4294967295.0) + v.y * x[i] * x[i];
}
;;; STDOUT:
grad_x: passed, 100 of 100 entries; worst [2]: 1.26502633, dual 1.26502641, 0.044 of what is allowed
along 4 random directions: passed; worst: 0.317852689, dual 0.317852514, 0.023 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 12 of the magnitude
passed
