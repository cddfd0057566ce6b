;;; TOOL: kgrad run shader.comp --param groups_x=1 --param groups_y=1 --param rows=1 --param cols=4 --param stride=3 --assume "stride >= cols" --in x=1,2,3,4 --in y=0,0,0,0
;;; EXIT: 1
;;; FILE: shader.comp
#version 450
layout(local_size_x_id = 1, local_size_y = 1) in;
layout(constant_id = 1) const uint SIZE = 4u;
layout(constant_id = 7) const bool SQUARE = true;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { int rows; int cols; int stride; };
void main() {
  int j = int(gl_GlobalInvocationID.x), i = int(gl_WorkGroupID.y);
  if (i >= rows || j >= cols) return;
  float v = x[i * stride + j];
  y[i * stride + j] = SQUARE ? v * v : v * float(gl_NumWorkGroups.y);
}
;;; STDERR:
shader.comp: error: assertion failed: it was assumed that stride >= cols [assert-failed]
  fix: pass values for which it holds, or change the kernel
