;;; TOOL: kgrad audit square.comp square_back.comp --grid 2 --param n=100 --map dy=grad_y --map dx=grad_x
;;; EXIT: 1
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
void main() { uint i = gl_GlobalInvocationID.x; if (i < n) dx[i] = 3.0 * x[i] * dy[i]; }
;;; STDOUT:
grad_x: FAILED, 100 of 100 entries, 100 wrong
  grad_x[63]: is 0.577813447, must be 0.385208933; x[63] is 0.54013449
  grad_x[25]: is -0.703324258, must be -0.468882806; x[25] is 0.706486344
  grad_x[93]: is -0.566881716, must be -0.37792112; x[93] is -0.846005261
  grad_x[0]: is -0.222021624, must be -0.148014408; x[0] is -0.188269049
  each entry is 1.5 times what it must be
along 4 random directions: FAILED
FAILED
