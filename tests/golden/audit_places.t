;;; TOOL: kgrad audit square.comp square_back.comp --grid 2 --param n=100 --map dy=grad_y --map dx=grad_x
;;; FILE: square.comp
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform P { uint n; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(set = 1, binding = 7) writeonly buffer Y { float y[]; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < n) y[i] = x[i] * x[i]; }
;;; FILE: square_back.comp
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform P { uint n; };
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) readonly buffer DY { float dy[]; };
layout(binding = 5) writeonly buffer DX { float dx[]; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < n) dx[i] = 2.0 * x[i] * dy[i]; }
;;; STDOUT:
grad_x: passed, 100 of 100 entries
along 4 random directions: passed
passed
