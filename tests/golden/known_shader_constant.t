;;; TOOL: kgrad show shader.comp --const 2=8
;;; EXIT: 2
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
shader.comp: error: there is no constant 2 that could have a value [fixed-unknown]
  fix: the constants: SQUARE or 7, 1, SIZE or 1
