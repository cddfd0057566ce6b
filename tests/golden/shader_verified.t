;;; TOOL: kgrad verify shader.comp -D SCALE=3.0 --of y --wrt x --param groups_x=2
;;; FILE: shader.comp
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < x.length()) y[i] = SCALE * x[i] * x[i];
}
;;; STDOUT:
grad_x: passed, 100 of 100 entries; worst [12]: 4.48384762, dual 4.48384716, 0.028 of what is allowed
along 4 random directions: passed; worst: -17.6330682, dual -17.6330676, 0.0017 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 31.2 of the magnitude
passed
